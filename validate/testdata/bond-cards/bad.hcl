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
  mlag    = "rack1"
}

host "store" {
  names = "store[1-2]"

  nic "ens2f0,ens3f0" {
    model = "connectx-5"
    mtu   = 9000
  }

  bond "bond0" { # want "bond-cards: store1:bond0 and 1 bond like it join ens2f0 and ens3f0, which by their names are ports of two cards"
    nics = ["ens2f0", "ens3f0"]
    mode = "802.3ad"
  }
}

link "stores" {
  a = "store1:ens2f0,store1:ens3f0,store2:ens2f0,store2:ens3f0"
  b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2"
}

link "peer" {
  a    = "leaf1:swp32"
  b    = "leaf2:swp32"
  peer = true
}
