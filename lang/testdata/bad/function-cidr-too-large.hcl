fabric "f" {}
locals {
  x = cidrhost("10.0.0.0/24", 256)  # want bad-expression at "256": "no such address"
}
