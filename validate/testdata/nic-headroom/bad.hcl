fabric "pod" {
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
  members   = [host.near]
}

roce "compute" {
  version   = 2
  cos_group = cos_group.rdma
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
  names   = "far1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "near" {
  names = "near-gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

host "far" {
  names = "far-gpu[1-2]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "near" {
  a      = "near-gpu[1-2]:ens1f0"
  b      = "near1:swp[1-2]"
  speed  = "100G"
  length = "999m" # want "nic-headroom: near-gpu1:ens1f0 and 1 NIC like it each need .*NVIDIA ConnectX-5 has 262,016 B"
}

link "far" {
  a      = "far-gpu[1-2]:ens1f0"
  b      = "far1:swp[1-2]"
  speed  = "25G"
  length = "1200m" # want "nic-headroom: far-gpu1:ens1f0 .*at most 999 m of cable"
}
