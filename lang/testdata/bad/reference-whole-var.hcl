fabric "f" {}
locals {
  all = keys(var)  # want unknown-reference at "var": "is not a reference"
}
