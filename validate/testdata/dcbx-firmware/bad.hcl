# background: by-hand

host "store" {
  by_hand {
    dcbx = "firmware" # want "dcbx-firmware: store.1-3. leave PFC and trust"
  }
}
