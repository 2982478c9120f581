fabric "f" {
  mtu 9216  # want syntax at "mtu": "Write mtu = ..."
}
