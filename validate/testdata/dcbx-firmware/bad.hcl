# background: by-hand

host "store" {
  by_hand {
    dcbx = "firmware" # want "dcbx-firmware: store1, store2 and store3 leave PFC and trust"
  }
}
