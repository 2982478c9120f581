# background: clos

cos_group "rdma" {
  lossless = false
}

link "stores" {
  flow_control = "pause" # want "pause-unused: store1:ens1f0 - leaf1:swp2 and 3 cables like it are to be lossless by link pause, and no lossless cos group passes there"
}
