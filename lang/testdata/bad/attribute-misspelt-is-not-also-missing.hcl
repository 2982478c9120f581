fabric "f" {}
switch "s" {
  modle = "sn2700"  # want unknown-attribute at "modle": "Did you mean \"model\"?"
}
