fabric "f" {}
host "h" { names = "h[a-d]" }  # want bad-nodeset at "a": "not a number"
