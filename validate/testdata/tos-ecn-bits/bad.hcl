# background: by-hand

host "gpu" {
  nic "ens1f0" {
    tos = 106 # want "tos-ecn-bits: gpu.1-2.:ens1f0 have tos = 106.*ignores them"
  }
}

host "store" {
  nic "ens1f0" {
    tos = 107 # want "tos-ecn-bits: store.1-3.:ens1f0 .*every packet would look marked already"
  }
}
