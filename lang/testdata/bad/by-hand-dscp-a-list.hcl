fabric "f" {}
switch "s" {
  model = "sn2700"
  by_hand {
    dscp = [26]  # want wrong-type at "[26]": "{ 26 = 3 }"
  }
}
