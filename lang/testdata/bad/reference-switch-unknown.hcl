switch "spine" { model = "sn2700" }
fabric "f" {
  root = switch.spien  # want unknown-reference at "switch.spien": "Did you mean \"spine\"?"
}
