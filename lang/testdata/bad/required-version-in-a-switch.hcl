fabric "f" {}
switch "s" {
  model            = "sn2700"
  required_version = ">= 0.12"  # want unknown-attribute at "required_version": "no attribute"
}
