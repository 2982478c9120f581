# background: by-hand

switch "spine" {
  by_hand {
    ecn = true
  }
}
