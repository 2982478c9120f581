# background: by-hand

switch "spine" {
  by_hand {
    pfc = [4]
  }
}

host "store" {
  by_hand {
    pfc = [4]
  }
}
