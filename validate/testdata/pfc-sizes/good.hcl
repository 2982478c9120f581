fabric "campus" {
  mtu = 9216
}

cos_group "storage" {
  cos      = 4
  lossless = true

  pfc {
    buffer    = "170000B"
    xoff      = "10000B"
    xon_delta = "2000B"
  }
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  members   = [host.store]
  vlan      = 100
}

switch "edge" {
  names   = "edge1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "long" {
  a      = "store[1-2]:ens1f0"
  b      = "edge1:swp1-2"
  speed  = "100G"
  length = "300m"
}
