# background: tor

switch "tor" {
  by_hand {}
}
