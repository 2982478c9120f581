fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "same number of ports"
  lower = "leaf1:swp[1-2],leaf2:swp1"
  upper = "spine[1-2]:swp[1-2]"
}
