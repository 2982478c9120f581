fabric "f" {
  1mtu = 9000  # want syntax at "1": "start with a letter"
}
