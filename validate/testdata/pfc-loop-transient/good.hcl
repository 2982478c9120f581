# background: pod

fabric "pod" {
  routing = "ebgp"
}

switch "leaf" {
  names = "leaf[1-3]"
  asn   = 65100 + self.index
}

switch "spine" {
  names = "spine[1-3]"
  asn   = 65000
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
