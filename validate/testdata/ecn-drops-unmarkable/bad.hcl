# background: tor

switch "tor" {
  names   = "tor[1-2]"
  os      = "sonic"
  version = "202511"
}

roce "training" {
  members = [host.gpu, host.old]
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.rdma # want "ecn-drops-unmarkable: Packets of roce .nvme. cannot be marked .* tor.1-2. drop such packets from queues of 153,600 B"
  vlan      = 100
  members   = [host.store]
}

host "old" {
  names = "old1"
  nic "ens1f0" { model = "connectx-5" }
  by_hand {
    dcqcn = false # want "ecn-drops-unmarkable: old1:ens1f0 sends packets of roce .training. that cannot be marked" # want "dcqcn-off: old1:ens1f0 answers"
  }
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu1:ens1f0,store1:ens1f0,gpu2:ens1f0,old1:ens1f0,store2:ens1f0"
  b = "tor1:etp[1-2],tor2:etp[1-3]"
}

link "between" {
  a      = "tor1:etp32"
  b      = "tor2:etp32"
  speed  = "100G"
  routed = false
}
