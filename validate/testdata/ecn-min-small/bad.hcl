# background: tor

cos_group "rdma" {
  ecn {
    min = "4KiB" # want "ecn-min-small: .*min = 4,096 B .Spectrum makes it 6,144 B.; two frames of 9,216 B are 18,432 B"
    max = "150KiB"
  }
}

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true
  ecn {
    max = "60KiB" # want "ecn-min-small: .*min = 6,144 B, derived from max"
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
