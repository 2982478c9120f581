fabric "f" {}
locals {
  l = ["a", "b"]
  x = local.l[2]  # want bad-expression at "[2]": "the list ends before this index"
}
