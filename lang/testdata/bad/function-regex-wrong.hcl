fabric "f" {}
locals {
  x = regex("(", "a")  # want bad-expression at "\"(\"": "regular expression"
}
