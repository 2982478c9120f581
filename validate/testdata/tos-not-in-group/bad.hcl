# background: by-hand

host "gpu" {
  nic "ens1f0" {
    tos = 24 # want "tos-not-in-group: gpu.1-2.:ens1f0 mark packets that applications leave unmarked with tos = 24. That is DSCP 6, which no cos group claims"
  }
}

host "store" {
  nic "ens1f0" {
    tos = 192 # want "tos-not-in-group: store.1-3.:ens1f0 .*DSCP 48 .cs6., which cos group .cnp."
  }
}
