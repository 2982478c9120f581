# One switch at each of two sites.
fabric "prod" { cable_length = var.length }

variable "length" {
  default = "3m"
}

cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}

roce "one" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.a]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn3700"
  version = "5.9.2"
  site    = "dc1"
}

switch "spine" {
  names   = "spine1"
  model   = "sn3700"
  version = "5.9.2"
  site    = "dc2"
}

host "a" {
  names = "a[1-2]"
  site  = "dc1"
  nic "ens1f0" { model = "connectx-6dx" }
}

link "hosts" {
  a     = "a[1-2]:ens1f0"
  b     = "leaf[1-2]:swp1"
  speed = "100G"
}

link "up" {
  a     = "leaf[1-2]:swp31"
  b     = "spine1:swp[1-2]"
  speed = "100G"
}
