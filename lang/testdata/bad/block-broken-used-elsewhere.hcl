switch "leaf" {
  names = "leaf[1-"  # want bad-nodeset at "[1-": "never closed"
  model = "sn2700"
}
fabric "f" {
  root = switch.leaf
}
