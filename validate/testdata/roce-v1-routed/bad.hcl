# background: by-hand
# no cos_group.rdma, no cos_group.cnp, no roce.training, no host.store

cos_group "storage" {
  cos      = 4
  lossless = true
}

roce "nvme" { # want "roce-v1-routed: .*in 2 broadcast domains: routed links separate gpu1:ens1f0 .at tor1. and gpu2:ens1f0 .at tor2."
  version   = 1
  cos_group = cos_group.storage
  members   = [host.gpu]
  vlan      = 100
}

switch "spine" { # no by_hand
  version = "4.3.0"
}

link "hosts" { # no speed
  a = "gpu[1-2]:ens1f0"
  b = "tor[1-2]:swp1"
}
