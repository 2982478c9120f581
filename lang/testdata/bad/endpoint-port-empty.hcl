fabric "f" {}
link "l" {
  a = "leaf1:"  # want bad-nodeset at ":": "missing"
  b = "leaf2:swp1"
}
