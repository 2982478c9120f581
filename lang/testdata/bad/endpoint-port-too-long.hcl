fabric "f" {}
link "l" {
  a = "leaf1:TenGigabitEthernet1"  # want bad-name at "TenGigabitEthernet1": "19 characters"
  b = "leaf2:swp1"
}
