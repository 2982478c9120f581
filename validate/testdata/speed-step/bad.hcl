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

roce "training" { # want "speed-step: Members of roce \"training\" have ports of 100G .gpu1:ens1f0, of host \"gpu\". and of 25G .store1:ens2f0, of host \"store\""
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.store]
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

host "store" {
  names = "store1"
  nic "ens2f0" { model = "connectx-4-lx" }
}

link "stores" {
  a     = "store1:ens2f0"
  b     = "tor1:swp3"
  speed = "25G"
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
