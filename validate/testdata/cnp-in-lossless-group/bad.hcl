# background: tor
# no cos_group.cnp

cos_group "other" {
  cos      = 5
  dscp     = ["cs5"]
  lossless = true
}

roce "training" {
  cnp = cos_group.rdma # want "cnp-in-lossless-group: .*the group they are to slow down"
}

roce "second" {
  cnp = cos_group.other # want "cnp-in-lossless-group: .*which is lossless"
}
