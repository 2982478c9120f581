fabric "f" {}
locals {
  x = true and false  # want syntax at "and": "&&"
}
