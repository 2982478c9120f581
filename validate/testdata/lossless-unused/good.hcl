# background: tor

cos_group "rdma" {
  bounce = cos_group.detour
}

# In use: rdma bounces into it.
cos_group "detour" {
  cos      = 5
  lossless = true
}
