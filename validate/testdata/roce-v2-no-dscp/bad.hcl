# background: by-hand
# no host.store

cos_group "rdma" {} # no dscp

roce "training" {
  cos_group = cos_group.rdma # want "roce-v2-no-dscp: .*The intent has no vlan"
  members   = ["gpu[1-2]"]
}

roce "tagged" {
  cos_group = cos_group.rdma # want "pcp-over-routed: .*does not survive the routed links"
  cnp       = cos_group.cnp
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
