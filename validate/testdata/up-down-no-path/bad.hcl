fabric "racks" {
  routing      = "up-down"
  cable_length = "3m"
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

roce "training" { # want "up-down-no-path: Members store1:ens1f0 .at spine1, tier 2. and store2:ens1f0 .at spine2, tier 2. of roce .training. are joined by cables"
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store, host.gpu]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "gpu" {
  a = "gpu[1-2]:ens1f0"
  b = "leaf[1-2]:swp1"
}

link "store" {
  a = "store[1-2]:ens1f0"
  b = "spine[1-2]:swp9"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
