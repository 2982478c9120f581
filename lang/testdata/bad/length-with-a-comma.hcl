fabric "f" {
  cable_length = "3,5"  # want wrong-unit at "\"3,5\"": "fractions have a point. Write \"3.5m\"."
}
