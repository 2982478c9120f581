# background: bonds

host "store" {
  nic "ens2f[0-1]" {
    mtu = 9000
  }
}
