# background: tor

fabric "rack" {
  mtu = 1500
}

host "gpu" {
  nic "ens1f0" {
    mtu = 9000 # want "mtu-mismatch: gpu1:ens1f0 has an MTU of 9000, the switch ports take 1500"
  }
}
