fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 3  # want out-of-range at "3": "from 1 to 2"
  cos_group = cos_group.g
  members   = ["h"]
}
