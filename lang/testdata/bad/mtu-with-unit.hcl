fabric "f" {
  mtu = "9000B"  # want wrong-type at "\"9000B\"": "the string \"9000B\""
}
