fabric "f" {}
link "l" {
  a = "leaf1 : swp1"  # want bad-nodeset at "leaf1 : swp1": "An endpoint has no space next to its colon"
  b = "leaf2:swp1"
}
