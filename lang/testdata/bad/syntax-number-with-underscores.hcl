fabric "f" {
  mtu = 9_000  # want syntax at "9_000": "Write decimal digits only"
}
