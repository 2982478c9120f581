fabric "rack" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}

cos_group "other" {
  cos      = 5
  dscp     = ["cs5"]
  lossless = true
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.rdma # want "cnp-in-lossless-group: .*the group they are to slow down"
  members   = [host.gpu]
}

roce "second" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.other # want "cnp-in-lossless-group: .*which is lossless"
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
