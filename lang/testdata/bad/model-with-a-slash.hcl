fabric "f" {}
switch "s" { model = "sn2700/1" }  # want bad-value at "\"sn2700/1\"": "sn2700"
