fabric "f" {
  cable_length = "3yd"  # want wrong-unit at "\"3yd\"": "Write one such as"
}
