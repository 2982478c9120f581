fabric "f" {}
locals {
  x = uper("a")  # want unknown-function at "uper": "Did you mean \"upper\"?"
}
