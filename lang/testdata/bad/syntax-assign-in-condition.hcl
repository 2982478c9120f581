fabric "f" {}
locals {
  x = 1 = 1 ? 1 : 2  # want syntax at "=": "=="
}
