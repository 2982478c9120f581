fabric "f" {}
host "h" {
  nic "eth0" {
    model   = "connectx-5"
    vf_roce = { first = true }  # want out-of-range at "first": "number of a virtual function"
  }
}
