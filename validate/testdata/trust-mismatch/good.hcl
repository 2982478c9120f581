# background: by-hand

switch "spine" {
  by_hand {
    trust = "both"
  }
}

host "store" {
  by_hand {
    trust = "dscp"
  }
}
