# background: tor

switch "tor" {
  names   = "tor[1-2]"
  os      = "sonic"
  version = "202511"
}

roce "training" {
  members = [host.gpu, host.old]
}

cos_group "storage" {
  cos      = 3
  lossless = true
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage # a group that nothing marks
  vlan      = 100
  members   = [host.store]
}

host "old" {
  names = "old1"
  nic "ens1f0" { model = "connectx-5" }
  by_hand {
    dcqcn = true
  }
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu1:ens1f0,store1:ens1f0,gpu2:ens1f0,old1:ens1f0,store2:ens1f0"
  b = "tor1:etp[1-2],tor2:etp[1-3]"
}

link "between" {
  a      = "tor1:etp32"
  b      = "tor2:etp32"
  speed  = "100G"
  routed = false
}
