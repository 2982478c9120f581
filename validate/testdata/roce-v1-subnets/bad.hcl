# background: rack

host "store" {
  names = "store[1-2]"
  nic "ens1f0" {
    ip = "192.0.2.${self.index * 64 + 1}/26" # want "roce-v1-subnets: Roce \"nvme\" is version 1, and store2:ens1f0 is in another subnet .ens1f0: 192.0.2.64/26. than store1:ens1f0 .192.0.2.0/26."
  }
}

link "stores" {
  a = "store[1-2]:ens1f0"
  b = "tor1:swp[1-2]"
}
