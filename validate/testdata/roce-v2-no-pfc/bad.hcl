# background: clos

cos_group "rdma" { # want "roce-v2-no-pfc: Roce \"training\" is RoCEv2 without PFC: cos group \"rdma\" does not set lossless"
  # no lossless
  weight = 60
}
