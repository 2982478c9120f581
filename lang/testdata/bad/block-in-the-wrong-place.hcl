fabric "f" {}
host "h" {
  ecn {}  # want unknown-block at "ecn": "An ecn block stands in a cos_group block"
}
