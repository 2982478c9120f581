fabric "rack" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
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
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
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
  nic "ens1f0" {
    model = "soft-roce" # want "nic-no-pfc: gpu1:ens1f0 and 1 NIC like it are in the lossless cos group \"rdma\" of roce \"training\", and Soft-RoCE has no PFC"
  }

  by_hand {}
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  speed = "25G"
  b = "tor1:swp1-2"
}
