fabric "f" {}
locals {
  x = [for i in null : i]  # want bad-expression at "null": "null"
}
