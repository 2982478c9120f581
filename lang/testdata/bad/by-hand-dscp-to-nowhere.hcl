fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    dscp = { 26 = 8 }  # want out-of-range at "8": "from 0 to 7"
  }
}
