fabric "f" {
  ecn {}  # want unknown-block at "ecn": "A fabric block cannot contain the block ecn. An ecn block must be inside a cos_group block"
}
