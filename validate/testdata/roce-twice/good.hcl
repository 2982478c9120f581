# background: clos

roce "training" {
  members = [host.gpu, host.store]
}

roce "verbs" {
  cnp     = cos_group.cnp
  members = [host.store]
}
