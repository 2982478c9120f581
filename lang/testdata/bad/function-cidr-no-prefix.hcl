fabric "f" {}
locals {
  x = cidrhost("10.0.0.0", 1)  # want bad-expression at "\"10.0.0.0\"": "expected a prefix such as"
}
