fabric "rack" {
  cable_length = "3m"
}

cos_group "storage" {
  cos      = 4
  lossless = true
}

cos_group "bulk" {
  cos = 1
  pcp = [1, 4] # want "pcp-claimed-twice: Cos groups \"storage\" and \"bulk\" both claim 802.1p priority 4"
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  members   = [host.gpu]
  vlan      = 100
}

switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-2]:ens1f0"
  b = "tor1:swp1-2"
}
