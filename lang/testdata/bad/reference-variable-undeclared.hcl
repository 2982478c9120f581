fabric "f" {
  mtu = var.mtu  # want unknown-reference at "var.mtu": "variable \"mtu\""
}
