# background: by-hand

switch "spine" {
  by_hand {
    dscp = { 48 = 6 }
  }
}
