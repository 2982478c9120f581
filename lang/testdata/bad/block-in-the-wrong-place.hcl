fabric "f" {}
host "h" {
  ecn {}  # want unknown-block at "ecn": "An ecn block belongs in a cos_group block"
}
