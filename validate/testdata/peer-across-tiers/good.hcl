# background: pod

link "pair" {
  a    = "leaf1:swp32"
  b    = "leaf2:swp32"
  peer = true
}
