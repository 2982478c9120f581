# background: by-hand

switch "spine" {
  by_hand {
    pfc = [3] # want "pfc-one-end: spine1 has no PFC for rdma .cos 4.: pfc = .3.. spine1:swp1 carries it. It does not stop when tor1:swp32"
  }
}

host "store" {
  by_hand {
    flow_control = "pfc-tx" # want "pfc-one-end: store.1-3. have flow_control = .*store1:ens1f0 sends pauses and obeys none; at the other end is tor2:swp1"
  }
}
