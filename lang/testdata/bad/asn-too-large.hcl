fabric "f" {}
switch "s" {
  model = "sn2700"
  asn   = 4294967296  # want out-of-range at "4294967296": "4294967295"
}
