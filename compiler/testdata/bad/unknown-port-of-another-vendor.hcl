fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
link "l" {
  a = "gpu1:eth0"
  b = "leaf1:Ethernet1"  # want unknown-port at "leaf1:Ethernet1": "It has swp1-32"
}
