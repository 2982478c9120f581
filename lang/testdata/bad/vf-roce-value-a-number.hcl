fabric "f" {}
host "h" {
  nic "eth0" {
    model   = "connectx-5"
    vf_roce = { 0 = 1 }  # want wrong-type at "1": "true or false"
  }
}
