# background: pod

cos_group "rdma" {
  ecn {} # want "ecn-marks-early: .*is marked from 43,008 B on at leaf1:swp31 and 1 port more \(100G\), which alone could mark from 153,600 B on"
}

switch "leaf" {
  version = "4.4.0"
}
