# A leaf and spine fabric with RoCEv2: with switches that run SONiC.
fabric "pod1" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 3
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

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.store]
}

switch "leaf" {
  names   = "leaf[1-4]"
  model   = "sn2700"
  os      = "sonic"
  version = "202505"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "sonic"
  version = "202511"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" { model = "connectx-5" }
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" { model = "connectx-5" }
}

link "gpus" {
  a     = "gpu[1-4]:ens1f0"
  b     = "leaf[1-4]:Ethernet0"
  speed = "100G"
}

link "stores" {
  a     = "store[1-4]:ens1f0"
  b     = "leaf[1-4]:Ethernet4"
  speed = "100G"
}

mesh "uplinks" {
  lower = "leaf[1-4]:Ethernet[120,124]"
  upper = "spine[1-2]:Ethernet[0,4,8,12]"
}
