fabric "f" {}
locals {
  x = [for i in [1] : j]  # want unknown-reference at "j": "means nothing here"
}
