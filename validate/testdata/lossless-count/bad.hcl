# background: tor

switch "tor" {
  model = "as4610-54t" # want "lossless-count: The lossless cos group rdma passes tor1:swp1, and Cumulus Linux has no PFC on Helix4"
  by_hand {}
}
