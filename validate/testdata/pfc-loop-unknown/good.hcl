# background: ring
