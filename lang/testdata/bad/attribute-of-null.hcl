fabric "f" {}
locals {
  n = null
  x = local.n.a  # want bad-expression at ".a": "null"
}
