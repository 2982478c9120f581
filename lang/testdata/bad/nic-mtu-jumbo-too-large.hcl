fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    mtu   = 65536  # want out-of-range at "65536": "from 1280 to 16384"
  }
}
