# background: tor

cos_group "rdma" {
  weight = 80
}

cos_group "default" {
  cos    = 0
  weight = 60 # want "weights-sum: The weights make 140, more than the whole link: cos group \"default\" gets 42 percent instead of 60"
}
