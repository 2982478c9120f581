# background: tor

cos_group "rdma" {
  cos = 4
}

cos_group "video" {
  cos = 5
}
