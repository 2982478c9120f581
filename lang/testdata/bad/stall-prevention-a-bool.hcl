fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    stall_prevention = true  # want wrong-type at "true": "\"auto\", \"off\" or a number"
  }
}
