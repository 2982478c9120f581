fabric "f" {
  cable_length = "3,5"  # want wrong-unit at "\"3,5\"": "a fraction needs a point. Write \"3.5m\"."
}
