fabric "f" {
  mtu = 9000  # want syntax at " ": "U+00A0"
}
