fabric "f" {}
locals {
  now = timestamp()  # want unknown-function at "timestamp": "the same fabric always means the same"
}
