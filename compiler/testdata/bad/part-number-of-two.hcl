fabric "f" {}
switch "leaf1" { model = "MSN3700-XS2F" }  # want unknown-model at "\"MSN3700-XS2F\"": "sn3700 (MSN3700-VS*) and sn3700c (MSN3700-CS*)"
