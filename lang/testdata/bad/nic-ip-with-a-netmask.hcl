fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    ip    = "192.0.2.3/255.255.255.0"  # want bad-value at "\"192.0.2.3/255.255.255.0\"": "192.0.2.1/24"
  }
}
