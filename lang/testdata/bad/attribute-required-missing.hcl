fabric "f" {}
cos_group "rdma" {}  # want missing-attribute at "cos_group \"rdma\"": "needs cos"
