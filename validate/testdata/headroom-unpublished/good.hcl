# background: tor

switch "tor" {
  model   = "z9100"
  version = "3.7.12"
}
