# A rack pair gets most cables from the topology.dot that the switches compare with LLDP. The long cables are in
# the sheet of the people who pulled them.

fabric "hall2" {
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
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[01-02]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names   = "spine[01-02]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 2
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
  }
}

topology "racks" {
  format = "ptm"
  file   = "topology.dot"
  ignore = ["oob-*"]
  length = "3m"
}

topology "hall" {
  format = "csv"
  file   = "hall.csv"
}
