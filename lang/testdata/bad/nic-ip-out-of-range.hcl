fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    ip    = "192.0.2.300"  # want bad-value at "\"192.0.2.300\"": "not an IP address"
  }
}
