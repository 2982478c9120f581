fabric "f" {
  mtu = 1e400  # want too-large at "1e400": "too large"
}
