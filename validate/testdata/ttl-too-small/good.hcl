# background: pod

host "gpu" {
  nic "ens1f0" {
    ttl = 4
  }
}
