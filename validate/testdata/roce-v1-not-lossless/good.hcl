# background: rack
