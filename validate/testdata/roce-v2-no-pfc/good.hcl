# background: clos

cos_group "rdma" {
  lossless = false
}
