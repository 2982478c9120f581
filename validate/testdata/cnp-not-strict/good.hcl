# background: by-hand

cos_group "rdma" {
  weight = 60
}

cos_group "cnp" { # no strict
  weight = 20
}
