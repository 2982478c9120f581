fabric "f" {}
host "gpu1" {
  nic "eth0" {
    model = "connectx-5"
    roce  = false
  }
}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["gpu1:eth0"]  # want member-without-roce at "gpu1:eth0": "roce = false"
}
