fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    dscp = { af31 = 3 }  # want out-of-range at "af31": "0 to 63"
  }
}
