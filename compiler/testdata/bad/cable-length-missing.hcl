fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
link "l" {  # want cable-length-missing at "link \"l\"": "Write length = \"30m\""
  a = "gpu[1-2]:eth0"
  b = "leaf1:swp[1-2]"
}
