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

switch "leaf" { # want "oversubscription: In cos group "rdma" members below leaf1 .the worst of 2 switches of this block .* can send 300G to members elsewhere, and its uplinks carry 200G: 1.5 to 1"
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
  names = "gpu[1-6]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "hosts" {
  a = "gpu[1-6]:ens1f0"
  b = "leaf[1-2]:swp[1-3]"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
