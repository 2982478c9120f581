fabric "f" {
  "mtu" = 9000  # want syntax at "\"mtu\"": "without quotes"
}
