switch "leaf" {
  names = "leaf[1-3]"
  model = "sn2700"
}
fabric "f" {
  root = switch.leaf  # want wrong-type at "switch.leaf": "is 3 of them"
}
