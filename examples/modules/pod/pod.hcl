# A pod: eight leafs, sixteen hosts on each, and ports towards the spines.

variable "name" {
  type        = string
  description = "Begins the names of its devices."
}

variable "number" {
  type = number
  validation {
    condition     = var.number >= 1 && var.number <= 250
    error_message = "A pod has a number from 1 to 250: it is a byte of its addresses."
  }
}

variable "spines" {
  type    = number
  default = 2
}

locals {
  leafs = "${var.name}-leaf[1-8]"
  hosts = "${var.name}-gpu[001-128]"
}

# rocec:ignore oversubscription training stays inside a pod, except for checkpoints
switch "leaf" {
  names   = local.leafs
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
  ssh { address = "10.${var.number}.0.${self.index + 1}" }
}

host "gpu" {
  names = local.hosts
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
    ip    = "10.${var.number}.1.${self.index + 1}/24"
  }
  ssh { address = "10.${var.number}.0.${self.index + 101}" }
}

link "hosts" {
  a      = "${local.hosts}:ens1f0"
  b      = "${local.leafs}:swp[1-16]"
  length = "3m"
}

output "hosts" {
  value = host.gpu
}

output "uplinks" {
  value = "${local.leafs}:swp[${33 - var.spines}-32]"
}
