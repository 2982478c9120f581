fabric "f" {}
locals {
  n = null
  x = [for v in [1] : local.n[*]][0][5]  # want bad-expression at "[5]": "element"
}
