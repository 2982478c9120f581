fabric f g {}  # want bad-label at "g": "one label"
