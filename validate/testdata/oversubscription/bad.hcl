# background: pod

switch "leaf" { # want "oversubscription: In cos group \"rdma\" members below leaf1 .the worst of 2 switches of this block .* can send 300G to members elsewhere, and its uplinks carry 200G: 1.5 to 1"
}

switch "spine" {
  names = "spine[1-2]"
}

host "gpu" {
  names = "gpu[1-6]"
}

link "hosts" {
  a     = "gpu[1-6]:ens1f0"
  b     = "leaf[1-2]:swp[1-3]"
  speed = "100G"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
