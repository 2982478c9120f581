fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "one side names none"
  lower = []
  upper = "leaf[1-2]:swp1"
}
