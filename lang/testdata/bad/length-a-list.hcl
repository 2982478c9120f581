fabric "f" {
  cable_length = ["3m"]  # want wrong-type at "[\"3m\"]": "a length"
}
