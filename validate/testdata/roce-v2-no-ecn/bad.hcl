# background: tor

cos_group "rdma" {} # no ecn

cos_group "lossy" {
  cos  = 3
  dscp = ["af21"]
}

roce "training" {
  cos_group = cos_group.rdma # want "roce-v2-no-ecn: .*PFC does all the work"
  members   = ["gpu[1-2]:ens1f0"]
}

roce "backup" {
  cos_group = cos_group.lossy # want "roce-v2-no-ecn: .*nothing protects its packets from loss"
  cnp       = cos_group.cnp
  members   = ["gpu[1-2]:ens1f1"]
}

host "gpu" {
  nic "ens1f0" {}
  nic "ens1f1" {}
}

link "second" {
  a = "gpu[1-2]:ens1f1"
  b = "tor1:swp3-4"
}
