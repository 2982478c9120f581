fabric "f" {
  routing = 'up-down'  # want syntax at "'": "double quotes"
}
