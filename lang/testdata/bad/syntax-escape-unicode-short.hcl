fabric "f" {}
locals {
  x = "\u12"  # want syntax at "\\u12": "four"
}
