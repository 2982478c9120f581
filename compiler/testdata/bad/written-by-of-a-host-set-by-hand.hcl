fabric "f" {
  cable_length = "3m"
  written_by   = "others" # does not reach hosts that are set by hand
}
switch "leaf" {
  names = "leaf1"
  model = "sn2700"
}
host "gpu" {
  names      = "gpu[1-2]"
  written_by = "others" # want written-by-hand at "\"others\"": "Delete one of the two"
  by_hand {}
  nic "eth0" { model = "connectx-5" }
}
host "store" {
  by_hand {}
  nic "eth0" { model = "connectx-5" }
}
link "hosts" {
  a = ["gpu[1-2]:eth0", "store:eth0"]
  b = "leaf1:swp[1-3]"
}
