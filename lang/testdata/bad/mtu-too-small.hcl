fabric "f" {
  mtu = 100  # want out-of-range at "100": "from 1280 to 16384"
}
