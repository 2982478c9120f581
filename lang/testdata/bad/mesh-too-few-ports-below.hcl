fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "needs 2 ports, or a multiple"
  lower = "leaf[1-2]:swp[1-3]"
  upper = "spine[1-2]:swp[1-2]"
}
