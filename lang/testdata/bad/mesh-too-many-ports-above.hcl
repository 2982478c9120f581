fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "2 x 1 = 2 ports; it names 3"
  lower = "leaf[1-2]:swp[1-2]"
  upper = "spine[1-2]:swp[1-3]"
}
