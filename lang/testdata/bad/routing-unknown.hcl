fabric "f" {
  routing = "updown"  # want out-of-range at "\"updown\"": "Did you mean \"up-down\"?"
}
