fabric "f" {}
switch "s" {
  model = "sn2700"
  tier  = 0  # want out-of-range at "0": "from 1 to 64"
}
