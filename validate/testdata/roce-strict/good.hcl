# background: tor

cos_group "rdma" {
  weight = 60
}
