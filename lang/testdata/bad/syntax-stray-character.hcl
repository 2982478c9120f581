fabric "f" {
  mtu = 9000 §  # want syntax at "§": "not part of the language"
}
