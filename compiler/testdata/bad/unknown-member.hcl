fabric "f" {}
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["gup1"]  # want unknown-member at "gup1": "Did you mean \"gpu1\"?"
}
