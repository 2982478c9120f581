fabric "f" {}
locals {
  all = keys(var)  # want unknown-reference at "var": "names nothing"
}
