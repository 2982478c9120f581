fabric "f" {}
locals {
  x = 2 ** 3  # want syntax at "*": "pow(2, 3)"
}
