fabric "f" {}
host "h" { names = "h[1-10000000000000]" }  # want bad-nodeset at "10000000000000": "digits"
