fabric "f" {}
locals {
  x = "a" < "b"  # want bad-expression at "\"a\"": "number"
}
