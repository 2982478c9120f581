fabric "f" {}
switch "leaf1" { model = "sn2700" }
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["leaf1"]  # want unknown-member at "leaf1": "is a switch"
}
