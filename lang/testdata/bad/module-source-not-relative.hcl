fabric "f" {}
module "m" {
  source = "pod"  # want bad-value at "\"pod\"": "Did you mean \"./pod\"?"
}
