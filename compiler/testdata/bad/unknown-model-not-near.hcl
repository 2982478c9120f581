fabric "f" {}
switch "leaf1" { model = "catalyst" }  # want unknown-model at "\"catalyst\"": "switch_model"
