fabric "f" {
  ecn {}  # want unknown-block at "ecn": "A fabric block holds no ecn block. An ecn block belongs in a cos_group block"
}
