fabric "f" {
  cable_length = "0,5km"  # want wrong-unit at "\"0,5km\"": "\"0.5km\""
}
