# background: by-hand

host "store" {
  by_hand {
    dcqcn = true
  }
}
