# background: tor

host "gpu" {
  nic "ens1f0" {
    mtu = 4200
  }
}
