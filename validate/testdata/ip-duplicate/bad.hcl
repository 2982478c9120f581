# background: tor

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    ip = "192.0.2.${self.index % 2 + 1}/24" # want "ip-duplicate: gpu3:ens1f0 has the address of gpu1:ens1f0, 192.0.2.1 .and 1 NIC more like it."
  }
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "tor1:swp1-4"
}
