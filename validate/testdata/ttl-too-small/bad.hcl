# background: pod
# no mesh.uplinks

roce "training" {
  members = [host.far, host.gpu]
}

switch "leaf" {
  names = "leaf[1-3]"
}

switch "spine" {
  names = "spine[1-2]"
}

host "far" { # on the same leaf, and fine
  names = "far1"
  nic "ens1f0" {
    model = "connectx-5"
    ttl   = 64
  }
}

host "gpu" {
  names = "gpu[1-3]"
  nic "ens1f0" {
    ttl = 3 # want "ttl-too-small: Packets of gpu1:ens1f0 have ttl = 3, and the path to gpu3:ens1f0, .* has at least 5 routers: router number 3 .* write 6 or more"
  }
}

link "hosts" {
  a = "far1:ens1f0,gpu[1-3]:ens1f0"
  b = "leaf1:swp2,leaf[1-3]:swp1"
}

switch "core" {
  names = "core1"
  tier  = 3
}

link "uplinks" { # leaf3 is in a pod of its own
  a = "leaf[1-3]:swp31"
  b = "spine1:swp[1-2],spine2:swp1"
}

mesh "core" {
  lower = "spine[1-2]:swp31"
  upper = "core1:swp[1-2]"
}
