fabric "f" {}
host "h" { names = "h[0-999999999]" }  # want too-many-objects at "h[0-999999999]": "names 1000000000 things"
