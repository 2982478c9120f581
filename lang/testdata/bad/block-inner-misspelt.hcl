fabric "f" {}
host "h" {
  nick "x" {}  # want unknown-block at "nick": "Did you mean \"nic\"?"
}
