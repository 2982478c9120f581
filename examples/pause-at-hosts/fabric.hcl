# PFC between the switches, link pause at the ports of hosts: a pause stops a host, and only its own traffic waits.

fabric "access" {
  mtu      = 9216
  routing  = "up-down"
  failures = 1
}

cos_group "rdma" {
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

cos_group "default" {
  cos    = 0
  weight = 50
}

roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2410"
  os      = "cumulus-linux"
  version = "3.7.16"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "3.7.16"
  tier    = 2
}

host "store" {
  names = "store[1-8]"

  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "access" {
  a            = "store[1-8]:ens1f0"
  b            = "leaf[1-2]:swp[1-4]"
  speed        = "25G"
  length       = "3m"
  flow_control = "pause"
}

mesh "uplinks" {
  lower  = "leaf[1-2]:swp[49-50]"
  upper  = "spine[1-2]:swp[1-2]"
  speed  = "100G"
  length = "30m"
}
