fabric "f" {}
switch "leaf1" {
  model = "sn6800"  # want unknown-model at "\"sn6800\"": "newer than this rocec knows: describe it by `switch_model`"
}
