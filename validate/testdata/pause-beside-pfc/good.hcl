# background: by-hand

fabric "racks" {
  flow_control = "pause"
}

switch "spine" {
  by_hand {
    flow_control = "pause"
  }
}

host "store" {
  by_hand {
    flow_control = "pause"
  }
}
