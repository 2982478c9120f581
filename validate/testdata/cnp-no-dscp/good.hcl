# background: by-hand
