# background: by-hand

host "gpu" {
  nic "ens1f0" {
    tos = 104
  }
}
