fabric "pod" {
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

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "leaf[1-2]:swp[1-2]"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
  mtu   = 4500 # want "mtu-path: leaf1:swp31 - spine1:swp1 takes frames of 4500 bytes, and gpu1:ens1f0 and gpu3:ens1f0, members of roce \"training\" on its two sides, send frames of up to 9000"
}
