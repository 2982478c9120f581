fabric "f" {}
cos_group "g" { cos = 1 }
host "h" {}
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = host.h  # want wrong-type at "host.h": "Write it as a list: [host.h]."
}
