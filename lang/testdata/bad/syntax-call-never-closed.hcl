fabric "f" {}
locals {
  x = upper("a"
}  # want syntax at "}": "closing bracket )"
