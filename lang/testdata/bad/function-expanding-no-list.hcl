fabric "f" {}
locals {
  x = max(5...)  # want bad-expression at "5": "list"
}
