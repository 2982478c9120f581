fabric "f" {}
roce "r" {  # want missing-attribute at "roce \"r\"": "needs members" want missing-attribute at "roce \"r\"": "needs cos_group"
  verson = 2  # want unknown-attribute at "verson": "Did you mean \"version\"?"
}
