fabric "f" {}
switch_model "lab" {
  asic  = "spektrum"  # want unknown-model at "\"spektrum\"": "Did you mean \"spectrum\"?"
  ports = 32
  speed = "100G"
}
