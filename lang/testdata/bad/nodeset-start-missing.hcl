fabric "f" {}
host "h" { names = "h[-4]" }  # want bad-nodeset at "-": "number is missing"
