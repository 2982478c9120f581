fabric "f" {}
locals {
  x = 1 / 0  # want bad-expression at "1 / 0": "zero"
}
