fabric "f" {}
switch "leaf1" { model = "sn2007" }  # want unknown-model at "\"sn2007\"": "Did you mean"
