fabric "f" {}
locals {
  x = "names: ${["a", "b"]}"  # want bad-expression at "[\"a\", \"b\"]": "join"
}
