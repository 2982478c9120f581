fabric "f" {}
switch "s" { model = "SN 2700" }  # want bad-value at "\"SN 2700\"": "sn2700"
