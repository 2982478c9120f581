fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    small_packets = 0  # want out-of-range at "0": "from 1 to 100"
  }
}
