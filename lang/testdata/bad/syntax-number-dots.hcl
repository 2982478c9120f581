fabric "f" {}
switch "s" {
  model   = "sn2700"
  version = 4.3.0  # want syntax at "4.3.0": "in quotes"
}
