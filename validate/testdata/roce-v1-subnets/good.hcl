# background: rack

host "store" {
  nic "ens1f0" {
    ip = "192.0.2.${self.index + 1}/26"
  }
}
