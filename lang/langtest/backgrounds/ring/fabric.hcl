# Four switches in a ring, with three tiers: under up-down nothing goes up again.
fabric "ring" {
  routing      = "up-down"
  failures     = 0
  cable_length = "10m"
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
  members   = [host.node]
}

switch "top" {
  names   = "sw1"
  model   = "sn2100"
  version = "4.3.0"
  tier    = 3
}

switch "side" {
  names   = "sw[2,4]"
  model   = "sn2100"
  version = "4.3.0"
  tier    = 2
}

switch "bottom" {
  names   = "sw3"
  model   = "sn2100"
  version = "4.3.0"
  tier    = 1
}

host "node" {
  names = "node[1-4]"
  nic "eth2" { model = "connectx-6-dx" }
}

link "hosts" {
  a     = "node[1-4]:eth2"
  b     = "sw[1-4]:swp1"
  speed = "25G"
}

link "ring" {
  a = "sw[1-4]:swp15"
  b = "sw[2-4,1]:swp16"
}
