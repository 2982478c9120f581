fabric "f" {
  cable_length = "3m"
}
switch "leaf" {
  names  = "leaf1"
  model  = "sn2700"
  memory = "written" # want memory-by-hand at "\"written\"": "Delete one of the two"
  by_hand {}
}
switch "spine" {
  names  = "spine1"
  model  = "sn2700"
  memory = "written"
}
