# background: tor

host "gpu" {
  names = "gpu[1-17]"
}

link "hosts" {
  a = "gpu[1-17]:ens1f0"
  b = "tor1:swp1-17"
}
