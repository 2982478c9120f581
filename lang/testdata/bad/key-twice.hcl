fabric "f" {}
locals {
  m = { a = 1, a = 2 }  # want duplicate-attribute at "a": "twice"
}
