fabric "f" {}
cos_group "rdma" { cos = 3 }
roce "r" {
  version   = 2
  cos_group = rdma  # want unknown-reference at "rdma": "Write cos_group.rdma"
  members   = ["h"]
}
