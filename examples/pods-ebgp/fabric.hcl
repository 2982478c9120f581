# Two pods and two cores use eBGP everywhere. As in RFC 7938, the cores share an AS number, the aggregation switches of
# a pod share one, and each leaf has its own. A route that would go down into a leaf or a pod and up again contains the AS
# number of the next switch, which rejects it. So no circle of buffers can form, for any failures.
# rocec must prove it free of PFC loops by the certificate as-plan, for any failures.

fabric "pods" {
  mtu      = 9216
  routing  = "ebgp"
  failures = 1
}

cos_group "rdma" {
  cos      = 3
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

switch "core" {
  names   = "core[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 3
  asn     = 65000
}

switch "agg" {
  for_each = { p1 = 65101, p2 = 65102 }

  names   = "${each.key}-agg[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
  asn     = each.value
}

switch "leaf" {
  names   = "p[1-2]-leaf[1-2]"
  model   = "sn2410"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
  asn     = 65201 + self.index
}

host "gpu" {
  names = "p[1-2]-gpu[1-2]"

  nic "ens1f0" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}

link "hosts" {
  a      = "p[1-2]-gpu[1-2]:ens1f0"
  b      = "p[1-2]-leaf[1-2]:swp1"
  speed  = "25G"
  length = "3m"
}

mesh "pod" {
  for_each = toset(["p1", "p2"])

  lower  = "${each.key}-leaf[1-2]:swp[49-50]"
  upper  = "${each.key}-agg[1-2]:swp[1-2]"
  speed  = "100G"
  length = "30m"
}

mesh "cores" {
  lower  = "p[1-2]-agg[1-2]:swp[31-32]"
  upper  = "core[1-2]:swp[1-4]"
  speed  = "100G"
  length = "100m"
}
