# background: clos

# no mesh.uplinks

link "planes" { # two cables to the one spine of each plane
  a = "leaf[1-2]:swp[31-32],leaf[3-4]:swp[31-32]"
  b = "spine1:swp[1-4],spine2:swp[1-4]"
}

link "core" {
  a    = "spine1:swp[31-32]"
  b    = "spine2:swp[31-32]"
  peer = true
  bond = true
}
