fabric "f" {}
topology "cabling" {
  format = "ptm"
  file   = "topology.dot"
  ignore = "oob-*"  # want wrong-type at "\"oob-*\"": "Write it as a list: [\"oob-*\"]."
}
