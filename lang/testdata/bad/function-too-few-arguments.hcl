fabric "f" {}
locals {
  x = join(",")  # want bad-expression at "join(": "Write join(separator, list)."
}
