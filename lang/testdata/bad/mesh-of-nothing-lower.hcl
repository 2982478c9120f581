fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "one side names no device"
  lower = []
  upper = "leaf[1-2]:swp1"
}
