# A storage rack on an SN3700 with Cumulus Linux 5.3, configured by qos_features.conf and qos_infra.conf.
# RoCEv2 uses PFC with ECN. The share of RoCE is the share of an egress queue, and PFC needs a pool of the memory.

fabric "rack" {
  mtu = 9216
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af31"]
  lossless = true
  weight   = 50

  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "tor" {
  names   = "tor1"
  model   = "sn3700"
  os      = "cumulus-linux"
  version = "5.3.1"
  config  = "files" # what 5.3 has anyway; from 5.4 on it has to be said

  ssh { address = "192.0.2.1" }
}

host "store" {
  names = "store[1-6]"

  nic "ens1f0" {
    model = "connectx-6-dx"
    mtu   = 9000
  }

  ssh { address = "192.0.2.${self.index + 101}" }
}

link "rack" {
  a      = "store[1-6]:ens1f0"
  b      = "tor1:swp1-6"
  speed  = "100G"
  length = "3m"
}
