# background: pod

cos_group "rdma" {
  allow_unproven = "the border is not ours" # want "allow-unproven-unused: Cos group .rdma. accepts a missing proof .*, and the proof has a verdict: free"
}
