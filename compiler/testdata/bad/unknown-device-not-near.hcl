fabric "f" {}
switch "leaf1" { model = "sn2700" }
link "l" {
  a = "router-of-the-provider:eth0"  # want unknown-device at "router-of-the-provider:eth0": "write a switch or host block"
  b = "leaf1:swp1"
}
