fabric "f" {
  cable_length = "3m"
  routing      = "ebgp"
}
switch "leaf" {  # want asn-missing at "switch \"leaf\"": "AS number"
  names = "leaf[1-2]"
  model = "sn2700"
}
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
link "hosts" {
  a = "gpu[1-2]:eth0"
  b = "leaf[1-2]:swp1"
}
link "between" {
  a = "leaf1:swp2"
  b = "leaf2:swp2"
}
