fabric "f" {}
locals {
  x = "C:\path"  # want syntax at "\\p": "\\\\"
}
