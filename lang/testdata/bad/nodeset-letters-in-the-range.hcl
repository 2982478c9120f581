fabric "f" {}
host "h" { names = "h[a-d]" }  # want bad-nodeset at "a-d": "between braces: {a,b,c,d}"
