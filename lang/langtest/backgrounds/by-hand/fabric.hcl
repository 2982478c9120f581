# Two racks below a spine; the spine and the storage hosts are set up by others.
fabric "racks" {
  routing      = "up-down"
  cable_length = "3m"
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

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.store]
}

switch "tor" {
  names   = "tor[1-2]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names = "spine1"
  model = "sn2700"
  tier  = 2
  by_hand {}
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

host "store" {
  names = "store[1-3]"
  nic "ens1f0" { model = "e810" }
  by_hand {}
}

link "hosts" {
  a     = "gpu[1-2]:ens1f0,store[1-3]:ens1f0"
  b     = "tor1:swp[1-2],tor2:swp[1-3]"
  speed = "25G"
}

mesh "uplinks" {
  lower = "tor[1-2]:swp32"
  upper = "spine1:swp[1-2]"
}
