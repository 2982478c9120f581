fabric "rack" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = 80
  ecn {}
}

cos_group "default" {
  cos    = 0
  weight = 60 # want "weights-sum: The weights make 140, more than the whole link: cos group \"default\" gets 42 percent instead of 60"
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
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
