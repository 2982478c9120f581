fabric "f" {}
locals {
  x = [for i of [1] : i]  # want syntax at "of": "in"
}
