fabric "f" {
  mtu = local.user
}
locals {
  a    = local.b + 1  # want reference-cycle at "a": "a -> b -> c -> a"
  b    = local.c
  c    = local.a
  user = local.a + 1
}
