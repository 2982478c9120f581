fabric "f" { routing = "up-down" }
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn2700"
}
switch "spine1" { model = "sn2700" }
mesh "m" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"  # want unknown-device at "spine[1-2]:swp[1-2]": "\"spine2\""
}
