# background: tor

cos_group "rdma" {
  cos = 4
}

cos_group "video" {
  cos = 4 # want "cos-claimed-twice: Cos groups \"rdma\" and \"video\" both claim cos 4"
}
