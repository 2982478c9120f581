# background: by-hand

cos_group "bulk" {
  cos  = 1
  dscp = ["cs1"]
}

switch "spine" {
  by_hand {
    dscp = { 48 = 4 } # want "cnp-lost: spine1 maps DSCP 48 to cos 4, the lossless cos group rdma"
  }
}

host "store" {
  by_hand {
    dscp = { 48 = 1 } # want "cnp-lost: store.1-3. map DSCP 48 to cos 1, the lossy cos group bulk"
  }
}
