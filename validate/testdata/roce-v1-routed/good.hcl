fabric "racks" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
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
  lower  = "tor[1-2]:swp32"
  upper  = "spine1:swp[1-2]"
  routed = false
}
