# Each variable is a change of a fabric that carries traffic, to try in the lab. Every plan shows the order of the devices, and
# why the fabric stays lossless between the steps.

variable "racks" {
  default     = 2
  description = "1 to 8: a rack more is a leaf, its hosts and its uplinks"
}

variable "cos" {
  default     = 3
  description = "3, or 4: the class moves, with a DSCP of its own"
}

variable "lossless" {
  default     = true
  description = "false: PFC is taken away"
}

variable "repair" {
  default     = ""
  description = "why h2 stays as it is"
}

fabric "day-two" {
  routing      = "up-down"
  cable_length = "3m"
}

cos_group "storage" {
  cos      = var.cos
  dscp     = [var.cos == 3 ? "af31" : "af41"]
  lossless = var.lossless
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos = 0
}

roce "storage" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.h]
}

switch "leaf" {
  names   = "leaf[1-${var.racks}]"
  model   = "sn2700"
  version = "3.7.12"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  version = "3.7.12"
  tier    = 2
}

host "h" {
  names       = "h[1-${2 * var.racks}]"
  maintenance = self.name == "h2" && var.repair != "" ? var.repair : null

  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}

link "hosts" {
  a     = "h[1-${2 * var.racks}]:ens1f0"
  b     = "leaf[1-${var.racks}]:swp[1-2]"
  speed = "100G"
}

mesh "uplinks" {
  lower = "leaf[1-${var.racks}]:swp[31-32]"
  upper = "spine[1-2]:swp[1-${var.racks}]"
}
