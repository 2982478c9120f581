fabric "f" {
  cable_length = 0  # want out-of-range at "0": "more than 0"
}
