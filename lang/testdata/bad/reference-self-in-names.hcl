fabric "f" {}
switch "s" {
  names = "spine[${self.index}]"  # want unknown-reference at "self.index": "outside of names"
  model = "sn2700"
}
