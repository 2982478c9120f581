fabric "f" {}
locals {
  x = 5 ? 1 : 2  # want bad-expression at "5": "true or false"
}
