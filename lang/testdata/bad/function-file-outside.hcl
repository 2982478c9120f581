fabric "f" {}
locals {
  x = file("../secret")  # want bad-expression at "\"../secret\"": "below the fabric's folder"
}
