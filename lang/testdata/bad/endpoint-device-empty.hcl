fabric "f" {}
link "l" {
  a = ":swp1"  # want bad-nodeset at ":": "missing"
  b = "leaf2:swp1"
}
