fabric "f" {}
locals {
  x = upper("a", "b")  # want bad-expression at "b": "Write upper(string)."
}
