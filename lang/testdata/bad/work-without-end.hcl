fabric "f" {}
locals {
  r = range(4096)
  x = [for a in local.r : [for b in local.r : b]]  # want too-large at "[for a in local.r : [for b in local.r : b]]": "too much work"
  y = 1
}
