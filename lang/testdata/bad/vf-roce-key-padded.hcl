fabric "f" {}
host "h" {
  nic "eth0" {
    model   = "connectx-5"
    vf_roce = { "01" = true }  # want out-of-range at "\"01\"": "number of a virtual function"
  }
}
