fabric "f" {}
locals {
  x = (1 + 2
}  # want syntax at "}": "closing bracket )"
