fabric "f" {}
switch "leaf" "rack1" {  # want bad-label at "\"rack1\"": "has one label"
  model = "sn2700"
}
