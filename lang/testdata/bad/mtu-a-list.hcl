fabric "f" {
  mtu = [9000]  # want wrong-type at "[9000]": "not a list"
}
