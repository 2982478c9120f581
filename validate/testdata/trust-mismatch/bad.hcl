# background: by-hand

switch "spine" {
  by_hand {
    trust = "pcp" # want "trust-mismatch: spine1 trusts PCP, and the packets of roce .training. are identified by DSCP. The device puts them into cos 0"
  }
}

host "store" {
  by_hand {
    trust = "pcp" # want "trust-mismatch: store.1-3. trust PCP"
  }
}
