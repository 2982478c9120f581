# One switch with RoCEv1.
fabric "rack1" {
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
  weight   = 50
}

cos_group "default" {
  cos    = 0
  weight = 50
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
  members   = [host.store]
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  version = "3.4.3"
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" {
    model = "connectx-5"
    ip    = "192.0.2.${self.index + 1}/24"
  }
}

link "stores" {
  a     = "store[1-4]:ens1f0"
  b     = "tor1:swp[1-4]"
  speed = "25G"
}
