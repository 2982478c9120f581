fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { address = "10.0.0.${self.indx}" }  # want unknown-reference at "self.indx": "Did you mean \"index\"?"
}
