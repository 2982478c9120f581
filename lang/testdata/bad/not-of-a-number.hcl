fabric "f" {}
locals {
  x = !5  # want bad-expression at "5": "true or false"
}
