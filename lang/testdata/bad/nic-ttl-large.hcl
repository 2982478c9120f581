fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    ttl   = 256 # want out-of-range at "256": "from 0 to 255"
  }
}
