fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { address = "leaf01 prod" }  # want bad-value at "\"leaf01 prod\"": "an IP address or host name"
}
