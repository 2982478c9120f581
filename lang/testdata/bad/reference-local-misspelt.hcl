locals { pods = 2 }
fabric "f" {
  failures = local.pod  # want unknown-reference at "local.pod": "Did you mean \"pods\"?"
}
