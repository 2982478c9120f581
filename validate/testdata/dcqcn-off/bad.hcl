# background: by-hand

host "store" {
  by_hand {
    dcqcn = false # want "dcqcn-off: store1:ens1f0, store2:ens1f0 and store3:ens1f0 answer no marks"
  }
}
