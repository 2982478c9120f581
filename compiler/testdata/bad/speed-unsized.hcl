fabric "f" {}
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn6600"
}
link "l" {
  a     = "leaf1:swp1"
  b     = "leaf2:swp1"
  speed = "1600G"  # want speed-mismatch at "\"1600G\"": "no pause response is published"
}
