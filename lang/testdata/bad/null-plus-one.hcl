fabric "f" {}
locals {
  x = null + 1  # want bad-expression at "null + 1": "is null"
}
