fabric "f" {}
switch "s" { model = switch_model.x }  # want unknown-reference at "switch_model.x": "Write \"x\" in quotes"
