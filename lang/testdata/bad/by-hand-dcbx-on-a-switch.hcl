fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    dcbx = "host"  # want unknown-attribute at "dcbx": "no attribute \"dcbx\""
  }
}
