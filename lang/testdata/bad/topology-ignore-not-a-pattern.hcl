fabric "f" {}
topology "cabling" {
  format = "ptm"
  file   = "topology.dot"
  ignore = ["oob-["]  # want bad-value at "\"oob-[\"": "oob-*"
}
