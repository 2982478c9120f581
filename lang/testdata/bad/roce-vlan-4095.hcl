fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  vlan      = 4095  # want out-of-range at "4095": "from 1 to 4094"
  members   = ["h"]
}
