# background: pod

roce "training" { # want "up-down-no-path: Members store1:ens1f0 .at spine1, tier 2. and store2:ens1f0 .at spine2, tier 2. of roce .training. are joined by cables"
  members = [host.store, host.gpu]
}

switch "spine" {
  names = "spine[1-2]"
}

host "store" {
  names = "store[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "stores" {
  a     = "store[1-2]:ens1f0"
  b     = "spine[1-2]:swp9"
  speed = "25G"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
