fabric "f" {
  mtu = 9000,  # want syntax at ",": "Take the comma away"
  failures = 1
}
