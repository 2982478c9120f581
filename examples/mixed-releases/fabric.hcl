# Older storage racks under new spines. traffic.conf configures leaves with Cumulus Linux 3.7, NVUE spines with 5.9, and patches of CONFIG_DB
# a leaf with SONiC; all get equivalent settings. The variable upgraded names a leaf during its upgrade from 3.7 to 5.9 (docs/nvue.md, Upgrade).

variable "upgraded" {
  type    = string
  default = ""
}

variable "reimaging" {
  type    = string
  default = ""
}

fabric "storage" {
  mtu      = 9216
  routing  = "up-down"
  failures = 1
}

cos_group "storage" {
  cos      = 3
  dscp     = [26]
  lossless = true
  weight   = 50
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = self.name == var.upgraded ? "5.9.1" : "3.7.16"
  tier    = 1

  maintenance = self.name == var.reimaging ? "its system is installed anew" : null
}

switch "sonic" {
  names   = "leaf3"
  model   = "sn2410"
  os      = "sonic"
  version = "202511"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn3700"
  version = "5.9.1"
  tier    = 2
}

host "store" {
  names = "store[01-18]"

  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "racks" {
  a      = "store[01-12]:ens1f0"
  b      = "leaf[1-2]:swp[1-6]"
  speed  = "25G"
  length = "3m"
}

link "new-rack" {
  a      = "store[13-18]:ens1f0"
  b      = "leaf3:Ethernet[0,4,8,12,16,20]"
  speed  = "25G"
  length = "3m"
}

mesh "uplinks" {
  lower  = "leaf[1-2]:swp[31-32]"
  upper  = "spine[1-2]:swp[1-2]"
  speed  = "100G"
  length = "30m"
}

mesh "new-uplinks" {
  lower  = "leaf3:Ethernet[216,220]"
  upper  = "spine[1-2]:swp3"
  speed  = "100G"
  length = "30m"
}
