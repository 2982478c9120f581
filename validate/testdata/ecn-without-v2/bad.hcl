fabric "rack" {
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
  ecn {} # want "ecn-without-v2: Cos group \"storage\" asks for ECN, but only RoCEv1 travels in it: roce \"nvme\" is version 1"
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
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "store[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
