# background: by-hand

host "store" {
  by_hand {
    dcbx = "host"
  }
}
