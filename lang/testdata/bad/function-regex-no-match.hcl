fabric "f" {}
locals {
  x = regex("z", "a")  # want bad-expression at "regex(": "no match"
}
