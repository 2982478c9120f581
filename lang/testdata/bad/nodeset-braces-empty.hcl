fabric "f" {}
host "h" { names = "h-{a,}[1-4]" }  # want bad-nodeset at "}": "A word is missing here"
