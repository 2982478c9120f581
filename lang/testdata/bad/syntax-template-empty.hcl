fabric "f" {}
locals {
  x = "a${}"  # want syntax at "}": "value"
}
