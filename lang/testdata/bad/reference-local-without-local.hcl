locals { pods = 2 }
fabric "f" {
  failures = pods  # want unknown-reference at "pods": "Write local.pods"
}
