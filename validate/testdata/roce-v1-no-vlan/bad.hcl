fabric "rack" {
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
}

roce "nvme" { # want "roce-v1-no-vlan: Roce \"nvme\" is version 1 without a vlan"
  version   = 1
  cos_group = cos_group.storage
  members   = [host.gpu]
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
