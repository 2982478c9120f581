# background: tor

cos_group "rdma" {
  ecn {
    min = "150KiB"
    max = "12MiB" # want "ecn-max-unreachable: .*never holds more than .* of the pool of"
  }
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true
  ecn {
    min = "512KiB" # want "ecn-max-unreachable: .*It is derived from min"
  }
}

roce "nvme" {
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
}

host "gpu" {
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "hosts" {
  speed = "100G"
}
