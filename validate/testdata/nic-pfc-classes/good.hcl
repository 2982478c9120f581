# background: tor

host "gpu" {
  nic "ens1f0" {
    model = "e810"
  }
  by_hand {
    flow_control = "pfc"
    dcbx         = "host"
  }
}
