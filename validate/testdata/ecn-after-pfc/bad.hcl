# background: tor
# no switch.tor

cos_group "rdma" {
  ecn {
    min = "512KiB" # want "ecn-after-pfc: .*on big1 and 1 switch more ports can pause .*9 lossless ports with 2 lossless groups share"
  }
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true
  ecn {
    min = "150KiB"
  }
}

roce "nvme" {
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
}

switch "big" {
  names = "big[1-2]"
}

host "gpu" {
  names = "gpu[1-16]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "hosts" {
  a      = "gpu[1-16]:ens1f0"
  b      = "big[1-2]:swp[1-8]"
  speed  = "100G"
  length = "30m"
}

link "between" {
  a      = "big1:swp32"
  b      = "big2:swp32"
  speed  = "100G"
  length = "30m"
}
