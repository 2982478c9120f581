fabric "rack" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
}

cos_group "lossy" {
  cos  = 3
  dscp = ["af21"]
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma # want "roce-v2-no-ecn: .*PFC does all the work"
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f0"]
}

roce "backup" {
  version   = 2
  cos_group = cos_group.lossy # want "roce-v2-no-ecn: .*nothing keeps its packets from loss"
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f1"]
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
  nic "ens1f1" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}

link "second" {
  a = "gpu[1-2]:ens1f1"
  b = "tor1:swp3-4"
}
