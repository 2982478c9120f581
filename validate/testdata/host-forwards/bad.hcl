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
  members   = [host.gpu, host.gateway]
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

host "gateway" {
  names    = "gateway1"
  forwards = true # want "host-forwards: gateway1 passes on traffic of others and is in roce \"training\" too, whose cos group \"rdma\" is lossless"
  nic "ens1f0" { model = "connectx-5" }
}

link "gateway" {
  a = "gateway1:ens1f0"
  b = "tor1:swp9"
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
