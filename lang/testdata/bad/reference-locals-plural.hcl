locals { pods = 2 }
fabric "f" {
  failures = locals.pods  # want unknown-reference at "locals.pods": "Write local.pods"
}
