fabric "f" {}
locals {
  x = 1 + "a"  # want bad-expression at "\"a\"": "number"
}
