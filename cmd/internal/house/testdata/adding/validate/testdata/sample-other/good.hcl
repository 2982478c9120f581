# background: tor

cos_group "bulk" {
  cos = 1
}
