fabric "f" {}
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn6600"
}
link "l" { # want speed-mismatch at "link \"l\"": "do not agree"
  a = "leaf1:swp1"
  b = "leaf2:swp1"
}
