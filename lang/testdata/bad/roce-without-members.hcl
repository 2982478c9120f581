fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {  # want missing-attribute at "roce \"r\"": "needs members"
  version   = 2
  cos_group = cos_group.g
}
