fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    stall_prevention = "on"  # want out-of-range at "\"on\"": "milliseconds"
  }
}
