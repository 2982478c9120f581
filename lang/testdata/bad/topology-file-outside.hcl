fabric "f" {}
topology "cabling" {
  format = "ptm"
  file   = "/etc/ptm.d/topology.dot"  # want bad-value at "\"/etc/ptm.d/topology.dot\"": "Move the file there"
}
