# background: by-hand

fabric "racks" {
  routing = "spanning-tree"
}

cos_group "rdma" { # no dscp
  pcp = [4]
}

roce "training" {
  vlan = 100
}
