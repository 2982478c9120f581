fabric "f" {}
cos_group "rdma" { cos = 3 }
roce "r" {
  version   = 2
  cos_group = cos_group.rdna  # want unknown-reference at "cos_group.rdna": "Did you mean \"rdma\"?"
  members   = ["h"]
}
