# background: tor
# no cos_group.cnp

cos_group "other" {
  cos      = 5
  dscp     = ["cs5"]
  lossless = true
}

roce "training" {
  cnp = cos_group.rdma # want "cnp-in-lossless-group: .*the group that they should slow down"
}

roce "second" {
  cnp     = cos_group.other # want "cnp-in-lossless-group: .*which is lossless"
  members = ["more[1-2]:ens1f0"]
}

host "more" {
  names = "more[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "more" {
  a = "more[1-2]:ens1f0"
  b = "tor1:swp3-4"
}
