fabric "f" {}
switch "leaf1" {
  model = "sn2700"
  os    = "cumulus"  # want unknown-os at "\"cumulus\"": "cumulus-linux"
}
