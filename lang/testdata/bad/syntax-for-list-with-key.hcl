fabric "f" {}
locals {
  x = [for i in ["a"] : i => 1]  # want syntax at "i": "{ for"
}
