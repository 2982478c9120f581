fabric "f" {}
locals {
  l = ["a"]
  x = local.l[0.5]  # want bad-expression at "[0.5]": "whole number"
}
