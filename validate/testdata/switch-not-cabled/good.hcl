# background: clos

switch "spine" {
  names = "spine[1-3]"
}

link "next" {
  a       = "leaf1:swp30"
  b       = "spine3:swp1"
  planned = true
}
