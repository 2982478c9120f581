fabric "f" {}
link "l" {
  a = "leaf1.swp1"  # want bad-nodeset at "leaf1.swp1": "device:interface"
  b = "leaf2:swp1"
}
