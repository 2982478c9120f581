fabric "f" {}
locals {
  s = "text"
  x = local.s.length  # want bad-expression at ".length": "string"
}
