fabric "f" {}
locals {
  x = [for i in 5 : i]  # want bad-expression at "5": "range(5)"
}
