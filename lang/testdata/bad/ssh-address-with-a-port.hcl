fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { address = "leaf01:2222" }  # want bad-value at "\"leaf01:2222\"": "port = 2222"
}
