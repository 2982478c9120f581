# background: tor

cos_group "rdma" {} # no dscp

roce "training" {
  vlan = 100
}
