# background: pod

roce "training" {
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
  b     = "leaf[1-2]:swp2"
  speed = "25G"
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
