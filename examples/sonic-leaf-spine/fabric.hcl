# A leaf-spine of SONiC switches. Storage and training use RoCEv2, each with its own lossless priority (3 and 4, as in SONiC's templates).
# ECN marks early, and PFC is the backstop. Leaves have Broadcom chips, with ports named by their first lane: Ethernet0, Ethernet4. Spines
# have Spectrum-3, and their cables name aliases: etp1 is Ethernet0.

locals {
  storage_ports  = join(",", range(0, 32, 4))
  training_ports = join(",", range(32, 64, 4))
}

fabric "sonic" {
  mtu      = 9100
  routing  = "up-down"
  failures = 1
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af31"]
  lossless = true
  weight   = 35
  ecn {}
}

cos_group "training" {
  cos      = 4
  dscp     = ["af41"]
  lossless = true
  weight   = 35
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 30
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = ["node[01-32]:ens1f0"]
}

roce "collectives" {
  version   = 2
  cos_group = cos_group.training
  cnp       = cos_group.cnp
  members   = ["node[01-32]:ens2f0"]
}

switch "leaf" {
  names   = "leaf[1-4]"
  model   = "s5232f"
  os      = "sonic"
  version = "202505"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn4600c"
  os      = "sonic"
  version = "202511"
  tier    = 2
}

host "node" {
  names = "node[01-32]"

  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }

  nic "ens2f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "storage" {
  a      = "node[01-32]:ens1f0"
  b      = "leaf[1-4]:Ethernet[${local.storage_ports}]"
  speed  = "100G"
  length = "5m"
}

link "training" {
  a      = "node[01-32]:ens2f0"
  b      = "leaf[1-4]:Ethernet[${local.training_ports}]"
  speed  = "100G"
  length = "5m"
}

mesh "uplinks" {
  lower  = "leaf[1-4]:Ethernet[120,124]"
  upper  = "spine[1-2]:etp[1-4]"
  speed  = "100G"
  length = "40m"
}
