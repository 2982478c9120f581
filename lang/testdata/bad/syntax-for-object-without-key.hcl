fabric "f" {}
locals {
  x = { for i in ["a"] : i }  # want syntax at "i": "key => value"
}
