fabric "f" {}
switch "leaf1" { model = "MSN2790-CS2F" }  # want unknown-model at "\"MSN2790-CS2F\"": "Did you mean \"sn2700\"?"
