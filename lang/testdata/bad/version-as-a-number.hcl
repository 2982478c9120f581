fabric "f" {}
switch "s" {
  model   = "sn2700"
  version = 4.3  # want wrong-type at "4.3": "in quotes"
}
