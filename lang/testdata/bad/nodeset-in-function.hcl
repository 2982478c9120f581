fabric "f" {}
locals {
  names = nodeset("leaf[1-")  # want bad-expression at "\"leaf[1-\"": "never closed"
}
