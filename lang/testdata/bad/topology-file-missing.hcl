fabric "f" {}
topology "cabling" {
  format = "ptm"
  file   = "topology.dot"  # want unreadable at "\"topology.dot\"": "there is no such file"
}
