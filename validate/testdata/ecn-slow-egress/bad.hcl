# background: tor

cos_group "rdma" {
  ecn {
    min = "256KiB" # want "ecn-slow-egress: .*At tor1:swp1 and 3 ports more \(10G\) that is a queue of 211 microseconds"
    max = "3MiB"
  }
}

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "hosts" {
  a     = "gpu[1-4]:ens1f0"
  b     = "tor1:swp[1-4]"
  speed = "10G"
}
