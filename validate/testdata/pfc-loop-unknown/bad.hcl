# background: ring

fabric "ring" {
  routing = "up-down" # want "pfc-loop-unknown: .*is not known: sw2 and sw3 are both of tier 2 and the link sw2:swp15 - sw3:swp16 is not a peer link"
}

roce "all" { # want "up-down-no-path: "
}

switch "bottom" {
  tier = 2
}
