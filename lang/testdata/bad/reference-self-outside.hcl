fabric "f" {
  mtu = self.index  # want unknown-reference at "self.index": "only in switch and host blocks"
}
