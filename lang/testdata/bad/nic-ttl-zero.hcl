fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    ttl   = 0  # want out-of-range at "0": "from 1 to 255"
  }
}
