fabric "f" {}
switch "top of rack" { model = "sn2700" }  # want bad-name at "\"top of rack\"": "not a label"
