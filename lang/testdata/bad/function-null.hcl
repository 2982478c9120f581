fabric "f" {}
locals {
  x = upper(null)  # want bad-expression at "null": "null"
}
