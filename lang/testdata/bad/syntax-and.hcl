fabric "f" {}
locals {
  x = true & false  # want syntax at "&": "&&"
}
