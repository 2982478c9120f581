# background: pod

fabric "pod" {
  routing  = "shortest-path" # want "pfc-loop-transient: "
  failures = 0
}

switch "leaf" {
  names = "leaf[1-4]"
}

switch "spine" {
  names = "spine[1-2]"
}

host "gpu" {
  names = "gpu[1-4]"
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "leaf[1-4]:swp1"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}

mesh "uplinks-of-spring" {
  lower   = "leaf[3-4]:swp[31-32]"
  upper   = "spine[1-2]:swp[3-4]"
  planned = true # want "pfc-loop-cabling: .*While 2 planned cables are not laid, .*every step is free"
}
