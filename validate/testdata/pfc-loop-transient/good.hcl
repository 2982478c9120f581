fabric "clos" {
  routing      = "ebgp"
  cable_length = "5m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch "leaf" {
  names   = "leaf[1-3]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  asn     = 65100 + self.index
}

switch "spine" {
  names   = "spine[1-3]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  asn     = 65000
}

host "gpu" {
  names = "gpu[1-3]"
  nic "eth0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-3]:eth0"
  b = "leaf[1-3]:swp32"
}

mesh "uplinks" {
  lower = "leaf[1-3]:swp[1-3]"
  upper = "spine[1-3]:swp[1-3]"
}
