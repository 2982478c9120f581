fabric "f" {}
locals {
  x = jsondecode("{")  # want bad-expression at "jsondecode(": "JSON ends too early"
}
