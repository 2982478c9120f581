# background: by-hand

switch "spine" {
  by_hand {
    ecn = false # want "ecn-missing-hop: spine1 marks no packets .ecn = false., and roce .training. passes there"
  }
}
