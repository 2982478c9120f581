# Racks with pairs of leaves; storage hosts have both ports of a card on the pair.
fabric "pod1" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[1-4]"
  model   = "sn2700"
  version = "4.3.0"
  mlag    = "rack${floor(self.index / 2)}"
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  version = "4.3.0"
}

host "store" {
  names = "store[1-2]"
  nic "ens2f[0-1]" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens2f0", "ens2f1"]
    mode = "802.3ad"
  }
}

link "stores" {
  a     = "store[1-2]:ens2f[0-1]"
  b     = "leaf[1-4]:swp1"
  speed = "25G"
}

mesh "uplinks" {
  lower = "leaf[1-4]:swp[31-32]"
  upper = "spine[1-2]:swp[1-4]"
}
