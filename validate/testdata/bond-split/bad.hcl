# background: bonds

switch "leaf" {} # no mlag

host "store" {
  bond "bond0" {
    mode = "802.3ad" # want "bond-split: store1:bond0 and 1 bond like it are in mode 802.3ad, .* ens2f0 goes to leaf1 and ens2f1 to leaf2, which have no mlag"
  }
}
