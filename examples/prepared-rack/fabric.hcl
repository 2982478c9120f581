# Two racks run, and a third one is prepared: the fabric describes its leaf, hosts and cables before they exist. The spines already have
# the settings of the new ports, so no switch changes when the cables are laid.

variable "cabled" {
  type        = bool
  default     = false
  description = "the cables of the third rack are laid"
}

fabric "growing" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch "leaf" {
  names   = "leaf[1-3]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1

  maintenance = self.name == "leaf3" && !var.cabled ? "not in the rack yet" : null
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[01-12]"

  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "hosts" {
  a     = "gpu[01-08]:ens1f0"
  b     = "leaf[1-2]:swp[1-4]"
  speed = "100G"
}

mesh "uplinks" {
  lower  = "leaf[1-2]:swp[29-32]"
  upper  = "spine[1-2]:swp[1-4]"
  length = "30m"
}

link "hosts-of-rack-3" {
  a       = "gpu[09-12]:ens1f0"
  b       = "leaf3:swp[1-4]"
  speed   = "100G"
  planned = !var.cabled
}

mesh "uplinks-of-rack-3" {
  lower   = "leaf3:swp[29-32]"
  upper   = "spine[1-2]:swp[5-6]"
  length  = "30m"
  planned = !var.cabled
}
