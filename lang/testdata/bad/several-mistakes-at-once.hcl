fabric "f" {
  mtu     = "9216"  # want wrong-type at "\"9216\"": "without quotes"
  routing = up-down  # want unknown-reference at "up-down": "in quotes"
}
switch "leaf" {
  names = "leaf[1-"  # want bad-nodeset at "[1-": "never closed"
  modle = "sn2700"  # want unknown-attribute at "modle": "Did you mean"
  ssh { port = 0 }  # want out-of-range at "0": "from 1 to 65535"
}
