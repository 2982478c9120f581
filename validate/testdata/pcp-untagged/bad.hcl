# background: by-hand

fabric "racks" {
  routing = "spanning-tree"
}

cos_group "rdma" { # no dscp
  pcp = [4]
}

roce "training" {
  cos_group = cos_group.rdma # want "pcp-untagged: Roce .training. .* has no vlan: without a tag there is no PCP"
}
