fabric "f" {
  mtu = "9216"  # want wrong-type at "\"9216\"": "Write it without quotes: 9216."
}
