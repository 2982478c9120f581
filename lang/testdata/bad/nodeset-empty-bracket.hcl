fabric "f" {}
host "h" { names = "h[]" }  # want bad-nodeset at "]": "number is missing"
