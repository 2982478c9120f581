# background: tor
