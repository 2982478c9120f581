fabric "f" {}
locals {
  x = element([], 0)  # want bad-expression at "element(": "list is empty"
}
