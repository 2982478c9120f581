fabric "f" {}
locals "x" {}  # want bad-label at "\"x\"": "has no label"
