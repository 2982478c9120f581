fabric "f" {}
switch "a" { model = "sn2700" }
host "b" { names = "a" }  # want duplicate-name at "a": "two devices named \"a\""
