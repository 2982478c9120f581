fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    dscp = { 64 = 3 }  # want out-of-range at "64": "0 to 63"
  }
}
