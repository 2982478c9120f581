# background: tor

cos_group "rdma" {
  dscp = [26, 27]
}

cos_group "video" {
  cos  = 5
  dscp = ["af32"]
}
