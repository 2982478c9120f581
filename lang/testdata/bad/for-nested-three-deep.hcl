fabric "f" {}
locals {
  x = [for x in [1] : [for y in [1] : [for z in [1] : z]]]  # want too-deep at "[": "locals"
}
