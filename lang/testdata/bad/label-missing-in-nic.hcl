fabric "f" {}
host "h" {
  nic {  # want bad-label at "nic": "nic \"INTERFACE\""
    model = "connectx-5"
  }
}
