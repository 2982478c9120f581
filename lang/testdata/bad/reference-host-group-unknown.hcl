fabric "f" {}
cos_group "g" { cos = 1 }
host "gpu" {}
roce "r" {
  version   = 2
  cos_group = cos_group.g
  members   = [host.gup]  # want unknown-reference at "host.gup": "Did you mean \"gpu\"?"
}
