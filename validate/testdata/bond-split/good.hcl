fabric "rack" {
  cable_length = "3m"
  routing      = "up-down"
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

roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "store" {
  names = "store[1-2]"

  nic "ens2f[0-1]" {
    model = "connectx-5"
    mtu   = 9000
  }

  bond "bond0" {
    nics = ["ens2f0", "ens2f1"]
    mode = "active-backup"
  }
}

link "stores" {
  a = "store[1-2]:ens2f[0-1]"
  b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2"
}

link "peer" {
  a    = "leaf1:swp32"
  b    = "leaf2:swp32"
  peer = true
}
