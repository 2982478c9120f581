# Switches of every way to configure them that others write, two of them alike, and one that rocec writes.
fabric "f" {
  cable_length = "3m"
  routing      = "up-down"
}

cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch "leaf" {
  names      = "leaf[1-5]"
  model      = self.index < 3 ? "sn2700" : "sn3700"
  os         = self.index < 4 ? "cumulus-linux" : "sonic"
  version    = ["4.2", "4.2", "5.1", "5.9.1", "202505"][self.index]
  tier       = 1
  written_by = "others"
}

switch "spine" {
  names   = "spine1"
  model   = "sn2700"
  version = "4.2"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-5]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "leaf[1-4]:swp1"
}

link "host" {
  a = "gpu5:ens1f0"
  b = "leaf5:Ethernet0"
}

link "uplink" {
  a = "leaf5:Ethernet120"
  b = "spine1:swp5"
}

link "uplinks" {
  a = "leaf[1-4]:swp31"
  b = "spine1:swp[1-4]"
}
