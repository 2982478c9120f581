# background: tor

cos_group "rdma" {
  weight = 60
}

cos_group "default" {
  cos    = 0
  weight = 40
}
