fabric "f" {}
ssh "x" {}  # want bad-label at "\"x\"": "has no label"
