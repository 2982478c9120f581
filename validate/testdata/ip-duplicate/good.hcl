# background: tor

host "gpu" {
  nic "ens1f0" {
    ip = "192.0.2.${self.index + 1}/24"
  }
}
