fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["h", 7]  # want wrong-type at "7": "the number 7"
}
