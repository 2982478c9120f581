fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    ip    = ["192.0.2.3"]  # want wrong-type at "[\"192.0.2.3\"]": "an IP address"
  }
}
