# background: pod

switch "spine" {
  names = "spine[1-2]"
}

host "gpu" {
  nic "ens1f0" {
    mtu = 9000
  }
}

mesh "uplinks" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
  mtu   = 9000
}

# Nobody talks over these: their MTU does not matter.
switch "oob" {
  names = "oob1"
  model = "sn2100"
  tier  = 3
}

link "oob" {
  a   = "spine[1-2]:swp30"
  b   = "oob1:swp[1-2]"
  mtu = 1500
}
