# background: pod

cos_group "rdma" {
  allow_deadlock = "lab only" # want "allow-deadlock-unused: Cos group .rdma. accepts PFC loops .*, and the fabric has no PFC loop"
}
