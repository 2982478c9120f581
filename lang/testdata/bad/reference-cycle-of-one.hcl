fabric "f" {}
locals {
  a = local.a  # want reference-cycle at "a": "a -> a"
}
