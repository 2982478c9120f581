# background: by-hand

cos_group "rdma" { # no dscp
  pcp = [4]
}

roce "training" {
  cos_group = cos_group.rdma # want "pcp-over-routed: Roce .training. .* as from gpu1:ens1f0 to store1:ens1f0"
  vlan      = 100
}
