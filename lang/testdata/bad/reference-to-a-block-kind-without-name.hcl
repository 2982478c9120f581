fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 2
  cos_group = cos_group  # want unknown-reference at "cos_group": "Write cos_group.NAME"
  members   = ["h"]
}
