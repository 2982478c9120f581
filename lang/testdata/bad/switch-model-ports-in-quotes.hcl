fabric "f" {}
switch_model "x" {
  asic  = "spectrum"
  ports = "32"  # want wrong-type at "\"32\"": "without quotes"
  speed = "100G"
}
