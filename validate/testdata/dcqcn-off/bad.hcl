# background: by-hand

host "store" {
  by_hand {
    dcqcn = false # want "dcqcn-off: store.1-3.:ens1f0 answer no marks"
  }
}
