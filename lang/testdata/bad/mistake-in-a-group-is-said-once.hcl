fabric "f" {}
switch "leaf" {
  names = "leaf[1-30]"
  model = "sn2700"
  tier  = 100 + self.index  # want out-of-range at "100 + self.index": "This is the value for leaf1."
}
