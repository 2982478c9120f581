# background: pod

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    mtu = 9000
  }
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "leaf[1-2]:swp[1-2]"
}

mesh "uplinks" {
  mtu = 4500 # want "mtu-path: leaf1:swp31 - spine1:swp1 accepts frames of 4500 bytes, and gpu1:ens1f0 and gpu3:ens1f0, members of roce \"training\" on its two sides, send frames of up to 9000"
}
