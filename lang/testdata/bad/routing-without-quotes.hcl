fabric "f" {
  routing = up-down  # want unknown-reference at "up-down": "Write \"up-down\" in quotes"
}
