fabric "f" {}
locals {
  m = { a = 1 }
  x = local.m["b"]  # want bad-expression at "[\"b\"]": "lookup(map, key, default)"
}
