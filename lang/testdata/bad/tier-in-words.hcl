fabric "f" {}
switch "s" {
  model = "sn2700"
  tier  = "spine"  # want wrong-type at "\"spine\"": "from 1 to 64"
}
