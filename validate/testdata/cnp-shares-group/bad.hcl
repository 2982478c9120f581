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

cos_group "bulk" {
  cos    = 5
  dscp   = ["cs5"]
  weight = 20
  ecn {}
}

roce "bulk" {
  version   = 2
  cos_group = cos_group.bulk
  cnp       = cos_group.cnp
  members   = ["bulk[1-2]:ens1f0"]
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.bulk # want "cnp-shares-group: Roce \"training\" sends its CNPs in cos group \"bulk\", which carries the data of roce \"bulk\""
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

host "bulk" {
  names = "bulk[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "bulk" {
  a = "bulk[1-2]:ens1f0"
  b = "tor1:swp3-4"
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
