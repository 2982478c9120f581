# background: by-hand

switch "spine" {
  by_hand {
    dscp = { 26 = 4, 27 = 3 }
    pcp  = { 4 = 3 }
  }
}

host "store" {
  by_hand {
    dscp = { 10 = 1 }
  }
}
