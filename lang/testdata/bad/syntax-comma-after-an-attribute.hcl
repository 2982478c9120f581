fabric "f" {
  mtu = 9000,  # want syntax at ",": "Delete the comma"
  failures = 1
}
