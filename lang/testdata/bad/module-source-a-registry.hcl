fabric "f" {}
module "m" {
  source = "example/pod/rocec"  # want bad-value at "\"example/pod/rocec\"": "Did you mean \"./example/pod/rocec\"?"
}
