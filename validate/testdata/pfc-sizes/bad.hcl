# background: rack

cos_group "storage" {
  pfc {
    buffer    = "25000B"
    xoff      = "30000B" # want "pfc-sizes: .*has xoff = 30,000 B and buffer = 25,000 B"
    xon_delta = "2000B"
  }
}
