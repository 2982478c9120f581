# background: bonds

host "store" {
  nic "ens2f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  nic "ens2f1" {
    model = "connectx-5"
    mtu   = 4200 # want "bond-uneven: The ports of store1:bond0 and 1 bond like it differ in the MTU: ens2f0 has 9000, ens2f1 has 4200"
  }
}
