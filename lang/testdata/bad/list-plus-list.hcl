fabric "f" {}
locals {
  x = [1] + [2]  # want bad-expression at "[1]": "concat"
}
