# background: tor

roce "nobody" { # want "roce-members: .*has 0 members"
  cnp     = cos_group.cnp
  members = []
}

roce "training" {
  members = [host.gpu] # want "roce-members: gpu3:ens1f0: a member of roce .training., and no link cables it"
}

host "gpu" {
  names = "gpu[1-3]"
}
