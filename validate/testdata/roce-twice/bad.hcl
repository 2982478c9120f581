# background: clos

roce "training" {
  members = [host.gpu, host.store]
}

roce "verbs" { # want "roce-twice: Roce \"verbs\" has the version, the cos group \"rdma\" and the members of roce \"training\""
  cnp     = cos_group.cnp
  members = ["store[1-4]", "gpu[1-4]:ens1f0"]
}
