# Two equal pods are instances of one module. Another module has the company's classes of service.

fabric "twins" {
  routing      = "up-down"
  cable_length = "30m"
}

module "classes" {
  source = "./classes"
}

module "pod" {
  source   = "./pod"
  for_each = { a = 1, b = 2 }

  name   = each.key
  number = each.value
  spines = 8
}

switch "spine" {
  names   = "spine[1-8]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 2
}

# Each spine keeps eight ports for each pod, one for each leaf.
mesh "uplinks" {
  for_each = { a = "1-8", b = "9-16" }

  lower = module.pod[each.key].uplinks
  upper = "spine[1-8]:swp[${each.value}]"
}

roce "training" {
  version   = 2
  cos_group = module.classes.rdma
  cnp       = module.classes.cnp
  members   = [for p in module.pod : p.hosts]
}
