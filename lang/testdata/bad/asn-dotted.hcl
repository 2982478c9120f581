fabric "f" {}
switch "s" {
  model = "sn2700"
  asn   = "64512.1"  # want wrong-type at "\"64512.1\"": "whole number"
}
