# background: rack

cos_group "storage" {
  pfc {
    buffer    = "170000B"
    xoff      = "10000B"
    xon_delta = "2000B"
  }
}
