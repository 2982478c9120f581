fabric "f" {}
host "gpu1" {
  nic "eth0" { model = "connectx-5" }
}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["gpu1:eth1"]  # want unknown-member at "gpu1:eth1": "no nic block \"eth1\""
}
