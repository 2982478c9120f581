fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
link "l" {
  a = "gpu1:eth0"
  b = "laef1:swp1"  # want unknown-device at "laef1:swp1": "Did you mean \"leaf1\"?"
}
