fabric "rack" {
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  members   = ["new1:ens1f0", "old1:eth2"]
  vlan      = 100
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "new" {
  names = "new1"
  nic "ens1f0" { model = "connectx-5" }
}

host "old" {
  names = "old1"
  nic "eth2" { model = "connectx-3" }
}

link "new" {
  a = "new1:ens1f0"
  b = "tor1:swp1"
}

link "old" {
  a = "old1:eth2"
  b = "tor1:swp2"
}
