fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    flow_control = "pfc-both"  # want out-of-range at "\"pfc-both\"": "\"pfc-tx\""
  }
}
