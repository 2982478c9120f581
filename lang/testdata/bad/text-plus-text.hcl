fabric "f" {}
locals {
  x = "a" + "b"  # want bad-expression at "\"a\"": "\"${a}${b}\""
}
