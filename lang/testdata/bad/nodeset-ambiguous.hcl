fabric "f" {}
host "h" { names = "rack-1-2" }  # want bad-nodeset at "1-2": "could be"
