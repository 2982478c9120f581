fabric "f" {}
switch "s" {
  names = "spine[${self.index}]"  # want unknown-reference at "self.index": "except in names"
  model = "sn2700"
}
