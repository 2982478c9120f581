fabric "f" {
  mtuu = 9000  # want unknown-attribute at "mtuu": "Did you mean \"mtu\"?"
}
