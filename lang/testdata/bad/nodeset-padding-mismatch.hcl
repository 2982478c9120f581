fabric "f" {}
host "h" { names = "h[1-04]" }  # want bad-nodeset at "1-04": "different widths"
