fabric "f" {}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma  # want unknown-reference at "cos_group.rdma": "Write a block cos_group \"rdma\" { ... }"
  members   = ["h"]
}
