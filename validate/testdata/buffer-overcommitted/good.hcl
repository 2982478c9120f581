fabric "pod" {
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true

  pfc {
    buffer = "200KiB"
  }

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
  members   = [host.left]
}

roce "inference" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.right]
}

roce "compute" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.far]
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.far]
}

switch "near" {
  names   = "near1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

switch "far" {
  names   = "far[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "left" {
  names = "left[1-16]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

host "right" {
  names = "right[1-16]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

host "far" {
  names = "far-gpu[1-30]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "left" {
  a      = "left[1-16]:ens1f0"
  b      = "near1:swp[1-16]"
  speed  = "100G"
  length = "30m"
}

link "right" {
  a      = "right[1-16]:ens1f0"
  b      = "near1:swp[17-32]"
  speed  = "100G"
  length = "30m"
}

link "far" {
  a     = "far-gpu[1-30]:ens1f0"
  b     = "far[1-2]:swp[1-15]"
  speed = "100G"
}

link "between" {
  a     = "far1:swp32"
  b     = "far2:swp32"
  speed = "100G"
}
