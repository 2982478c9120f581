fabric "f" {}
topology "cabling" {  # want missing-attribute at "topology \"cabling\"": "needs file"
  format = "ptm"
}
