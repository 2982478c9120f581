fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
link "l" {
  a     = "gpu1:eth0"
  b     = "leaf1:swp1"
  speed = "400G"  # want speed-mismatch at "\"400G\"": "cannot run at 400G"
}
