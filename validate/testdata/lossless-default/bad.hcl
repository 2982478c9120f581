# background: tor

cos_group "rdma" {
  cos  = 0           # want "lossless-default: .*has cos 0"
  dscp = ["af31", 0] # want "lossless-default: .*claims DSCP 0"
}
