fabric "f" {
  routing = "spanning-tree"
  root    = "gpu1"  # want unknown-device at "\"gpu1\"": "is a host"
}
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
