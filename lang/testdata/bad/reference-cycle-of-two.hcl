fabric "f" {}
locals {
  a = local.b + 1  # want reference-cycle at "a": "a -> b -> a"
  b = local.a + 1
}
