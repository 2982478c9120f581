fabric "racks" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
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
  cos_group = cos_group.rdma # want "roce-v2-no-dscp: .*The intent has no vlan"
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]"]
}

roce "tagged" {
  version   = 2
  cos_group = cos_group.rdma # want "pcp-over-routed: .*does not survive the routed links"
  cnp       = cos_group.cnp
  members   = [host.gpu]
  vlan      = 100
}

switch "tor" {
  names   = "tor[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names   = "spine1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor[1-2]:swp1"
}

mesh "uplinks" {
  lower = "tor[1-2]:swp32"
  upper = "spine1:swp[1-2]"
}
