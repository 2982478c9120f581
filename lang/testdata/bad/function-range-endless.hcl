fabric "f" {}
locals {
  x = range(0, 10, 0)  # want bad-expression at "range(": "step is zero"
}
