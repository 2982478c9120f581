fabric "f" {}
topology "cabling" {
  for_each = toset(["a"])  # want unknown-attribute at "for_each": "for_each works on"
  format   = "ptm"
  file     = "topology.dot"
}
