fabric "f" {}
switch "Leaf" { model = "sn2700" }  # want bad-name at "Leaf": "lower case"
