# background: by-hand

host "gpu" {
  nic "ens1f0" {
    tos = 106 # want "tos-ecn-bits: gpu1:ens1f0 and gpu2:ens1f0 have tos = 106.*ignores them"
  }
}

host "store" {
  nic "ens1f0" {
    tos = 107 # want "tos-ecn-bits: store1.*every packet would look marked already"
  }
}
