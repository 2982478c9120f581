# background: tor

cos_group "rdma" {
  strict = true # want "roce-strict: Cos group \"rdma\" is strict and carries the data of roce \"training\""
}
