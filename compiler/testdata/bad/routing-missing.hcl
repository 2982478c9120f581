fabric "f" { cable_length = "3m" }  # want routing-missing at "fabric \"f\"": "ring"
switch "sw" {
  names = "sw[1-3]"
  model = "sn2700"
}
host "gpu" {
  names = "gpu[1-3]"
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
link "hosts" {
  a = "gpu[1-3]:eth0"
  b = "sw[1-3]:swp1"
}
link "ring" {
  a = "sw[1-3]:swp2"
  b = "sw2:swp3,sw3:swp3,sw1:swp3"
}
