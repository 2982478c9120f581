# background: rack
# no switch.tor

cos_group "storage" {
  pfc {
    buffer    = "25000B" # want "headroom-too-small: .*keeps 15,000 B of headroom .*at edge1:swp1 and 1 port like it"
    xoff      = "10000B"
    xon_delta = "2000B"
  }
}

switch "edge" {
  names = "edge1"
}

host "store" {
  names = "store[1-2]"
}

link "stores" {
  a      = "store[1-2]:ens1f0"
  b      = "edge1:swp[1-2]"
  speed  = "100G"
  length = "300m"
}
