fabric "f" {
  routing = "spanning-tree"
  root    = "spien1"  # want unknown-device at "\"spien1\"": "Did you mean \"spine1\"?"
}
switch "spine1" { model = "sn2700" }
