fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
link "l" {
  a = "gpu[1-2]:eth0"
  b = "leaf1:swp1,leaf1:swp1s0"  # want port-split-and-whole at "leaf1:swp1s0": "whole and split"
}
