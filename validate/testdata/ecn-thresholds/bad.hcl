# background: tor

cos_group "rdma" {
  ecn {
    min = "1500KiB"
    max = "150KiB" # want "ecn-thresholds: .*begins to mark at min = 1,536,000 B and marks all from max = 153,600 B"
  }
}

cos_group "late" {
  cos      = 5
  dscp     = ["cs5"]
  lossless = false
  ecn {
    min = "150MiB" # want "ecn-thresholds: .*Spectrum has 13,945,824 B of buffer in all"
  }
}

roce "bulk" {
  cos_group = cos_group.late
  cnp       = cos_group.cnp
}
