# A laboratory without RoCE NICs: four hosts run RoCEv2 in software (rdma_rxe) on any interface. Soft-RoCE ignores pauses
# and ECN marks, so its cos group is lossy and has no ecn block. Lost packets are sent again.

fabric "lab" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos    = 4
  dscp   = [26]
  weight = 30
}

cos_group "default" {
  cos    = 0
  weight = 70
}

roce "trial" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.lab]
}

switch "tor" {
  names   = "tor1"
  model   = "sn2100"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "lab" {
  names = "lab[1-4]"
  nic "eth1" {
    model = "soft-roce"
    mtu   = 4200
  }
}

link "rack" {
  a     = "lab[1-4]:eth1"
  b     = "tor1:swp[1-4]"
  speed = "10G"
}
