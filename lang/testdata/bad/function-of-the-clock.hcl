fabric "f" {}
locals {
  now = timestamp()  # want unknown-function at "timestamp": "a fabric has the same values"
}
