fabric "f" {}
locals {
  word = nothing  # want unknown-reference at "nothing": "in quotes"
}
