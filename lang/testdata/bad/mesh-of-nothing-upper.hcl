fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "one side names none"
  lower = "leaf[1-2]:swp1"
  upper = []
}
