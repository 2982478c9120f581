fabric "f" {}
topology "cabling" {
  format = "dot"  # want out-of-range at "\"dot\"": "one of \"ptm\""
  file   = "topology.dot"
}
