fabric "ring" {
  mtu          = 9216
  routing      = "shortest-path" # want "pfc-loop: "
  failures     = 0
  cable_length = "10m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true

  allow_deadlock = "a lab, reset every night" # want "pfc-watchdog: Cos group \"rdma\" accepts a PFC loop"

  weight   = 50
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 50
}

roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.node]
}

switch "ring" {
  names   = "sw[1-4]"
  model   = "sn2100"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "node" {
  names = "node[1-4]"

  nic "eth2" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}

link "hosts" {
  a = "node[1-4]:eth2"
  b = "sw[1-4]:swp1"
}

link "ring" {
  a = "sw[1-4]:swp15"
  b = "sw[2-4,1]:swp16"
}
