# background: tor

cos_group "rdma" {
  dscp = [26, 27]
}

cos_group "video" {
  cos  = 5
  dscp = ["af31"] # want "dscp-claimed-twice: Cos groups \"rdma\" and \"video\" both claim DSCP 26 .af31."
}
