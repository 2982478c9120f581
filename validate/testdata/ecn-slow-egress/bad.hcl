fabric "pod" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true

  ecn {
    min = "1MiB" # want "ecn-slow-egress: .*At tor1:swp1 and 3 ports more \(10G\) that is a queue of 838 microseconds"
    max = "3MiB"
  }
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
  names = "gpu[1-4]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "hosts" {
  a     = "gpu[1-4]:ens1f0"
  b     = "tor1:swp[1-4]"
  speed = "10G"
}
