# background: clos

cos_group "rdma" {
  bounce = cos_group.default
}
