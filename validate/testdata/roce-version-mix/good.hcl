# background: rack
# no host.store, no link.stores

roce "nvme" {
  members = ["new1:ens1f0", "old1:eth2"]
}

host "new" {
  names = "new1"
  nic "ens1f0" { model = "connectx-5" }
}

host "old" {
  names = "old1"
  nic "eth2" { model = "connectx-3" }
}

link "new" {
  a = "new1:ens1f0"
  b = "tor1:swp1"
}

link "old" {
  a = "old1:eth2"
  b = "tor1:swp2"
}
