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
  members   = [host.store]
  vlan      = 100
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" {
    model = "connectx-5"
    ip    = "192.0.2.${self.index + 1}/26"
  }
}

link "hosts" {
  a = "store[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
