fabric "f" {}
link "l" {
  a = "leaf1:swp1:0"  # want bad-nodeset at ":0": "one colon"
  b = "leaf2:swp1"
}
