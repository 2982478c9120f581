# A pod of GPU servers on current switches: SN5600 with Cumulus Linux 5.11, configured through NVUE. Each server has a NIC in each of four
# rails, and each rail has its own leaf. ECN marks early, and PFC is the backstop. The ports of servers are 800G ports split in two.

fabric "pod" {
  mtu      = 9216
  routing  = "up-down"
  failures = 1
}

cos_group "rdma" {
  cos      = 3
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
