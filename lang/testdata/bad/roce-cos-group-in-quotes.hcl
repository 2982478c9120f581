fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = "g"  # want wrong-type at "\"g\"": "Write cos_group.g"
  members   = ["h"]
}
