fabric "f" {}
switch "s" { model = sn2700 }  # want unknown-reference at "sn2700": "Write \"sn2700\" in quotes"
