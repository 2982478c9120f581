# background: tor
# no host.gpu, no link.hosts

cos_group "storage" {
  cos      = 5
  lossless = true
}

roce "training" {
  members = [
    "new1:ens1f0",
    "old1:eth2", # want "roce-version-mix: Roce \"training\" is version 2, but old1:eth2 speaks only RoCEv1 .*a pair like new1:ens1f0 and old1:eth2 can only speak v1"
  ]
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
  members = [
    "old1:eth2",   # want "roce-version-mix: old1:eth2 is in roce \"training\" .version 2. and in roce \"nvme\" .version 1."
    "new1:ens1f0", # want "roce-version-mix: new1:ens1f0 is in roce"
  ]
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
