# The ring of ring-pfc-loop, with the next hops of its switches read from fib.json instead of shortest paths.
# All traffic between opposite corners passes sw1 or sw2. No traffic turns at sw3 or sw4, so the buffers form no circle.
# rocec must find no PFC loop, and report no finding.

fabric "ring" {
  mtu          = 9216
  routing      = "table"
  table        = "fib.json"
  cable_length = "10m"
}

cos_group "rdma" {
  cos      = 4
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

cos_group "default" {
  cos    = 0
  weight = 50
}

roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.node]
}

switch "ring" {
  names   = "sw[1-4]"
  model   = "sn2100"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "node" {
  names = "node[1-4]"

  nic "eth2" {
    model = "connectx-6-dx"
    mtu   = 9000
    ip    = "192.0.2.${self.index * 64 + 1}/26"
  }
}

link "hosts" {
  a = "node[1-4]:eth2"
  b = "sw[1-4]:swp1"
}

link "ring" {
  a = "sw[1-4]:swp15"
  b = "sw[2-4,1]:swp16"
}
