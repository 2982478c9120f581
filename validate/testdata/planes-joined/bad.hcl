# background: clos

# no mesh.uplinks
# no link.gpus
# no link.stores

roce "training" { # in one plane
  members = ["gpu[1-4]:ens1f0", "store[1-4]:ens1f0"]
}

roce "second" { # and in the other
  cnp     = cos_group.cnp
  members = ["gpu[1-4]:ens1f1", "store[1-4]:ens1f1"]
}

host "gpu" {
  nic "ens1f[0-1]" { model = "connectx-5" }
}

host "store" {
  nic "ens1f[0-1]" { model = "connectx-5" }
}

link "a" {
  a     = "gpu[1-4]:ens1f0,store[1-4]:ens1f0"
  b     = "leaf1:swp[1-4],leaf2:swp[1-4]"
  speed = "50G"
}

link "b" {
  a     = "gpu[1-4]:ens1f1,store[1-4]:ens1f1"
  b     = "leaf3:swp[1-4],leaf4:swp[1-4]"
  speed = "50G"
}

link "up" {
  a = "leaf1:swp[29-32],leaf2:swp[29-32],leaf3:swp[29-31],leaf4:swp[29-32]"
  b = "spine1:swp[1-8],spine2:swp[1-7]"
}

link "odd" {
  a = "leaf3:swp32" # want "planes-joined: leaf3:swp32 goes to spine1:swp9, most of whose cables lead to leaves with the NICs"
  b = "spine1:swp9"
}
