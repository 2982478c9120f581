# background: tor

switch "tor" {
  ssh { address = "198.51.100.3" }
}

host "gpu" {
  ssh { address = "198.51.100.${self.index + 2}" } # want "ssh-address-duplicate: tor1 and gpu2 are both reached at 198.51.100.3: rocec would write one machine twice"
}
