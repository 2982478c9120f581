# background: pod

fabric "pod" {
  routing = "shortest-path" # want "pfc-loop-transient: While routing converges after leaf1:swp1 - spine1:swp1 fails, .*a micro-loop between"
}

switch "leaf" {
  names = "leaf[1-3]"
}

switch "spine" {
  names = "spine[1-3]"
}

host "gpu" {
  names = "gpu[1-3]"
}

link "hosts" {
  a = "gpu[1-3]:ens1f0"
  b = "leaf[1-3]:swp32"
}

mesh "uplinks" {
  lower = "leaf[1-3]:swp[1-3]"
  upper = "spine[1-3]:swp[1-3]"
}
