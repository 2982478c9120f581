# background: tor

host "gateway" {
  names    = "gateway1"
  forwards = true
  nic "ens1f0" { model = "connectx-5" }
}

link "gateway" {
  a = "gateway1:ens1f0"
  b = "tor1:swp9"
}
