fabric "f" {}
host "h" {
  ecn {}  # want unknown-block at "ecn": "An ecn block must be inside a cos_group block"
}
