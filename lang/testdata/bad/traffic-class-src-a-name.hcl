fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    traffic_class {
      tos = 16
      src = "store1"  # want bad-value at "\"store1\"": "not an IP address"
    }
  }
}
