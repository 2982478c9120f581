fabric "f" {
  cable_length = "m"  # want wrong-unit at "\"m\"": "Write one such as"
}
