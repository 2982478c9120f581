fabric "f" {}
switch "leaf" { model = "sn2700" }
link "l" {
  a = switch.leaf  # want wrong-type at "switch.leaf": "endpoints such as"
  b = "leaf2:swp1"
}
