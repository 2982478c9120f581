# background: tor

cos_group "rdma" {
  pfc {
    xoff      = "18000B" # want "pause-idles-link: At tor1:swp32 and 1 port like it a cable of 1001 m carries 161,640 B at 100G .*only 16,000 B in the buffer: every pause can leave the link idle for 12 microseconds.* xoff of at least 163,640 B"
    xon_delta = "2000B"
  }
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
  names   = "cellar[1-4]"
  model   = "sn2700"
  version = "4.3.0"
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" { model = "connectx-5" }
}

link "hosts" {
  a     = "gpu[1-2]:ens1f0"
  b     = "tor[1-2]:swp1"
  speed = "100G"
}

link "stores" {
  a     = "store[1-4]:ens1f0"
  b     = "cellar[1-4]:swp1"
  speed = "100G"
}

link "halls" {
  a      = "tor1:swp32"
  b      = "tor2:swp32"
  speed  = "100G"
  length = "1001m"
}

link "cellars" { # want "pause-idles-link: .*a cable of 10000 m carries 1,297,878 B .*the link idle for 103 microseconds. The memory of the switch does not hold more"
  a      = "cellar1:swp[30-32]"
  b      = "cellar[2-4]:swp32"
  speed  = "100G"
  length = "10km"
}
