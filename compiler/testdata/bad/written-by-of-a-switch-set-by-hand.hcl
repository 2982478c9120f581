fabric "f" {
  cable_length = "3m"
  written_by   = "others" # is for hosts
}
switch "leaf" {
  names      = "leaf1"
  model      = "sn2700"
  written_by = "others" # want written-by-hand at "\"others\"": "that the switch is set by hand"
  by_hand {}
}
switch "spine" {
  names = "spine1"
  model = "sn2700"
  by_hand {}
}
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
link "hosts" {
  a = "gpu[1-2]:eth0"
  b = "leaf1:swp[1-2]"
}
link "uplinks" {
  a     = "leaf1:swp31"
  b     = "spine1:swp1"
  speed = "100G"
}
