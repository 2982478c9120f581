fabric "f" {}
locals {
  n = 5
  x = local.n[0]  # want bad-expression at "[0]": "Only lists, maps and objects"
}
