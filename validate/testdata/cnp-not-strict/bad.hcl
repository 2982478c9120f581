# background: by-hand

cos_group "rdma" {
  weight = 90
}

cos_group "cnp" { # no strict # want "cnp-not-strict: Cos group .cnp. .* is not strict and has no more than a tenth"
  weight = 5
}
