# background: by-hand

switch "spine" {
  by_hand {
    trust = "pcp" # want "trust-mismatch: spine1 believes PCP, and the packets of roce .training. are told by DSCP. They land in cos 0"
  }
}

host "store" {
  by_hand {
    trust = "pcp" # want "trust-mismatch: store1, store2 and store3 believe PCP"
  }
}
