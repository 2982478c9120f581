fabric "f" {
  routing = 1  # want wrong-type at "1": "one of"
}
