fabric "f" {}
switch "s" { model = "sn2700" }
switch "s" { model = "sn2700" }  # want duplicate-name at "\"s\"": "two switch blocks named"
