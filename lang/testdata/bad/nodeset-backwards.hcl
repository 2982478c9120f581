fabric "f" {}
host "h" { names = "h[4-1]" }  # want bad-nodeset at "4-1": "Write [1-4]"
