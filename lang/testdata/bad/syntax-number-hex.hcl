fabric "f" {
  mtu = 0x2400  # want syntax at "0x2400": "Write decimal digits only"
}
