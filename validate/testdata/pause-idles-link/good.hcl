# background: tor

cos_group "rdma" {
  pfc { xon_delta = "2000B" }
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true
  ecn {}
}

roce "training" {
  members = [host.gpu]
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "tor" {
  names = "tor[1-2]"
}

switch "cellar" {
  names   = "cellar[1-3]"
  model   = "sn2700"
  version = "4.3.0"
}

host "store" {
  names = "store[1-3]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a     = "gpu[1-2]:ens1f0"
  b     = "tor[1-2]:swp1"
  speed = "100G"
}

link "stores" {
  a     = "store[1-3]:ens1f0"
  b     = "cellar[1-3]:swp1"
  speed = "100G"
}

link "halls" {
  a      = "tor1:swp32"
  b      = "tor2:swp32"
  speed  = "100G"
  length = "1001m"
}

link "cellars" {
  a      = "cellar1:swp[31-32]"
  b      = "cellar[2-3]:swp32"
  speed  = "100G"
  length = "10km"
}
