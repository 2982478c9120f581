fabric "f" {}
locals {
  x = { for i in ["a", "a"] : i => 1 }  # want bad-expression at "i": "..."
}
