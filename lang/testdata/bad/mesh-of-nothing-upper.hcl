fabric "f" {}
mesh "m" {  # want unequal-counts at "mesh \"m\"": "one side names no device"
  lower = "leaf[1-2]:swp1"
  upper = []
}
