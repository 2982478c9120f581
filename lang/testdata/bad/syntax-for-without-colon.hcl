fabric "f" {}
locals {
  x = [for i in [1] i]  # want syntax at "i": "colon"
}
