fabric "f" {}
switch "leaf1" {
  model   = "sn2700"
  version = "4x"  # want version-invalid at "\"4x\"": "4.3.0"
}
