fabric "f" {}
link "l" {
  a = "leaf1"  # want bad-nodeset at "leaf1": "names no interface"
  b = "leaf2:swp1"
}
