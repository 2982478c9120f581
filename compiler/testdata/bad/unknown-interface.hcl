fabric "f" {}
switch "leaf1" { model = "sn2700" }
host "gpu1" {
  nic "ens1f0" { model = "connectx-5" }
}
link "l" {
  a = "gpu1:ens1f1"  # want unknown-interface at "gpu1:ens1f1": "no nic block \"ens1f1\""
  b = "leaf1:swp1"
}
