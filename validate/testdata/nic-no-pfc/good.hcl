# background: tor

host "gpu" {
  nic "ens1f0" { model = "soft-roce" }
  by_hand { flow_control = "pfc" }
}

link "hosts" {
  speed = "25G"
}
