fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 2
  cos_group = cos_group[0]  # want unknown-reference at "cos_group[0]": "A name must follow"
  members   = ["h"]
}
