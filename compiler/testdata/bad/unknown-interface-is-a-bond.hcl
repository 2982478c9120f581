fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu1" {
  nic "ens1f[0-1]" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens1f1"]
  }
}
link "l" {
  a = "gpu1:bond0"  # want unknown-interface at "gpu1:bond0": "Name a NIC of the bond"
  b = "leaf1:swp1"
}
