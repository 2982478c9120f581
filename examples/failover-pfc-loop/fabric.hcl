# A leaf/spine fabric that is free of PFC loops while no link fails. Its shortest paths (OSPF, or eBGP with one AS number for each
# switch) are computed anew after failures. If one uplink is down at each of two leaves, traffic between the leaves goes down into
# a third leaf and up again, in both directions. The proof must hold with any two links down.
# rocec must refuse it: with two links down it has a circle of four links. rocec shows the cheapest fix.

fabric "failover" {
  mtu      = 9216
  routing  = "shortest-path"
  failures = 2
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

roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.node]
}

switch "leaf" {
  names   = "leaf[01-04]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names   = "spine[01-02]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

host "node" {
  names = "node[01-04]"

  nic "ens1f0" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
}

link "hosts" {
  a      = "node[01-04]:ens1f0"
  b      = "leaf[01-04]:swp1"
  speed  = "100G"
  length = "3m"
}

mesh "uplinks" {
  lower  = "leaf[01-04]:swp[31-32]"
  upper  = "spine[01-02]:swp[1-4]"
  length = "30m"
}
