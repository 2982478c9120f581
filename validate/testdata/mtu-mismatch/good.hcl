# background: tor

fabric "rack" {
  mtu = 9216
}

host "gpu" {
  nic "ens1f0" {
    mtu = 9000
  }
}
