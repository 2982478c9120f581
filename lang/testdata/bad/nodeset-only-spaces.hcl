fabric "f" {}
host "h" { names = "  " }  # want bad-nodeset at "  ": "empty"
