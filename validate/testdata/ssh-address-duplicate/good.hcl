# background: tor

switch "tor" {
  ssh { address = "198.51.100.3" }
}

host "gpu" {
  ssh { address = "198.51.100.${self.index + 4}" }
}
