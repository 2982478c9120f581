fabric "f" {}
locals {
  x = join(",", 5)  # want bad-expression at "5": "Write join(separator, list)."
}
