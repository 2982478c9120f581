fabric "f" {}
host "h" {
  nic "eth0" {
    model   = "connectx-5"
    vf_roce = false  # want wrong-type at "false": "{ 0 = false }"
  }
}
