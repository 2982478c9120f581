fabric "f" {}
host "h" { names = "h[1,2,]" }  # want bad-nodeset at "]": "number is missing"
