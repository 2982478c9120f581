# background: by-hand

host "store" {
  by_hand {
    flow_control = "pause" # want "pause-beside-pfc: store.1-3. use link pause in a fabric of PFC. store1:ens1f0 carries rdma .cos 4.; tor2:swp1"
  }
}
