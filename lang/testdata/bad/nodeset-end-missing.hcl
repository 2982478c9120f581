fabric "f" {}
host "h" { names = "h[1-]" }  # want bad-nodeset at "]": "number is missing"
