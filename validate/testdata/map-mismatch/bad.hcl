# background: by-hand

switch "spine" {
  by_hand {
    dscp = { 26 = 3 } # want "map-mismatch: spine1 maps DSCP 26 to cos 3, which belongs to no group"
  }
}

host "store" {
  by_hand {
    dscp = { 10 = 1, 26 = 6 } # want "map-mismatch: store.1-3. map DSCP 26 to cos 6, the lossy cos group cnp"
  }
}
