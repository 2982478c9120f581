fabric "f" {}
switch "s" {
  model = "sn2700"
  asn   = self.tier  # want unknown-reference at "self.tier": "Write one of these: group, index, name"
}
