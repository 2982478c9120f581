fabric "pod" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true

  ecn {
    min = "150KiB"
    max = "12MiB" # want "ecn-max-unreachable: .*never holds more than .*half of the"
  }
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true

  ecn {
    min = "1MiB" # want "ecn-max-unreachable: .*It comes from min"
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

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
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
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "hosts" {
  a     = "gpu[1-2]:ens1f0"
  b     = "tor1:swp[1-2]"
  speed = "100G"
}
