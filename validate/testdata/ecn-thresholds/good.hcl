# background: tor

cos_group "rdma" {
  ecn {
    min = "150KiB"
    max = "1500KiB"
  }
}
