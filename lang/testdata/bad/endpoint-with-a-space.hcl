fabric "f" {}
link "l" {
  a = "leaf1 : swp1"  # want bad-nodeset at "leaf1 : swp1": "No space may stand"
  b = "leaf2:swp1"
}
