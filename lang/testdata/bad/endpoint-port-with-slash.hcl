fabric "f" {}
link "l" {
  a = "leaf1:Ethernet1/1"  # want bad-name at "Ethernet1/1": "not an interface name"
  b = "leaf2:swp1"
}
