fabric "f" {}
locals {
  x = { a = 1 b = 2 }  # want syntax at "b": "comma"
}
