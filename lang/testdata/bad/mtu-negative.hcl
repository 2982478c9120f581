fabric "f" {
  mtu = -1  # want out-of-range at "-1": "from 1280 to 16384"
}
