# background: by-hand

switch "spine" {
  by_hand {
    pfc = [4, 6] # want "pfc-on-lossy: spine1 has PFC on for cos .6., and lossless there is only rdma .cos 4.*CNPs travel in cnp"
  }
}

host "store" {
  by_hand {
    pfc = [3, 4] # want "pfc-on-lossy: store.1-3. have PFC on for cos .3."
  }
}
