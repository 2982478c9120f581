fabric "f" {}
locals {
  x = Upper("a")  # want unknown-function at "Upper": "Did you mean \"upper\"?"
}
