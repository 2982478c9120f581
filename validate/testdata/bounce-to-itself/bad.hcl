# background: clos

cos_group "rdma" {
  bounce = cos_group.rdma # want "bounce-to-itself: Cos group \"rdma\" bounces into itself"
}
