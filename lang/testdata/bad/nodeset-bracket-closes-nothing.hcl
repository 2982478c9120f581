fabric "f" {}
host "h" { names = "h1-4]" }  # want bad-nodeset at "]": "closes nothing"
