fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { address = 192.0.2.1 }  # want syntax at "192.0.2.1": "in quotes"
}
