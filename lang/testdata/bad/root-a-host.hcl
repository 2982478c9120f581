host "h" {}
fabric "f" {
  root = host.h  # want wrong-type at "host.h": "the name of a switch"
}
