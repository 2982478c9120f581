# background: bonds

switch "leaf" {
  names = "leaf1"
  mlag  = "rack1"
}

switch "second" {
  names = "leaf2"
  model = "sn2410" # want "mlag-uneven: The switches of mlag \"rack1\" differ in model: leaf1 is a Mellanox SN2700, leaf2 a Mellanox SN2410"
  mlag  = "rack1"
}

link "stores" {
  b = "leaf1:swp1,leaf2:swp1,leaf1:swp2,leaf2:swp2"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
  speed = "25G"
}
