fabric "f" {}
switch "s" {
  model = "sn2700"
  asn   = 65000 + count.index  # want unknown-reference at "count.index": "self.index"
}
