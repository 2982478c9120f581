locals {
  broken = 1 / 0  # want bad-expression at "1 / 0": "zero"
  user   = local.broken + 1
}
fabric "f" {
  mtu = local.user
}
