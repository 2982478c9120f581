# background: clos

mesh "uplinks" {
  flow_control = "pause" # want "pause-couples: leaf1:swp31 - spine1:swp1 and 7 cables like it are lossless by link pause, in a fabric of PFC"
}
