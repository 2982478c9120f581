fabric "f" {}
locals {
  x = [for i in [1] : i if i]  # want bad-expression at "i": "true or false"
}
