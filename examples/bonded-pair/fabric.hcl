# Storage hosts have both ports of their card on a redundancy pair of leaves (RoCE LAG). Another team configures the clients.
# rocec writes switches and storage hosts, and compares the clients with their by_hand block.

fabric "storage" {
  mtu     = 9216
  routing = "up-down"
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
  members   = [host.store, host.client]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2410"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
  mlag    = "rack1"

  ssh { address = "192.0.2.${self.index + 1}" }
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2

  ssh { address = "192.0.2.${self.index + 11}" }
}

host "store" {
  names = "store[1-4]"

  nic "ens2f[0-1]" {
    model = "connectx-5"
    mtu   = 9000
  }

  bond "bond0" {
    nics = ["ens2f0", "ens2f1"]
    mode = "802.3ad"
  }

  ssh {
    user    = "root"
    address = "192.0.2.${self.index + 101}"
  }
}

host "client" {
  names = "client[1-4]"

  nic "ens1f0" {
    model = "e810-xxv"
    mtu   = 9000
    ip    = "198.51.100.${self.index + 1}/24"
  }

  by_hand {
    flow_control = "pfc"
    trust        = "dscp"
    dcbx         = "host" # fw-lldp-agent off
  }
}

link "stores" {
  a      = "store[1-4]:ens2f[0-1]"
  b      = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2,leaf1:swp3,leaf2:swp3,leaf1:swp4,leaf2:swp4"
  speed  = "25G"
  length = "3m"
}

link "clients" {
  a      = "client[1-4]:ens1f0"
  b      = "leaf[1-2]:swp[11-12]"
  speed  = "25G"
  length = "5m"
}

link "peer" {
  a      = "leaf1:swp[55-56]"
  b      = "leaf2:swp[55-56]"
  length = "1m"
  peer   = true
  bond   = true
}

mesh "uplinks" {
  lower  = "leaf[1-2]:swp[49-50]"
  upper  = "spine[1-2]:swp[1-2]"
  length = "30m"
}
