# Two leaves under one spine, with the next hops of table.json.
fabric "pod1" {
  routing      = "table"
  table        = "fib.json"
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
  members   = [host.gpu]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "4.3.0"
}

switch "spine" {
  names   = "spine1"
  model   = "sn2700"
  version = "4.3.0"
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" {
    model = "connectx-5"
    ip    = "192.0.2.${self.index * 64 + 1}/26"
  }
}

link "gpus" {
  a     = "gpu[1-2]:ens1f0"
  b     = "leaf[1-2]:swp1"
  speed = "100G"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp31"
  upper = "spine1:swp[1-2]"
}
