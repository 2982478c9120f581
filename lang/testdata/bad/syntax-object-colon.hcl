fabric "f" {}
locals {
  x = { a 1 }  # want syntax at "1": "equals sign is missing"
}
