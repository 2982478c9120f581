fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = "v2"  # want wrong-type at "\"v2\"": "from 1 to 2"
  cos_group = cos_group.g
  members   = ["h"]
}
