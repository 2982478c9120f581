fabric "f" {}
host "h" { names = "h[001-16]" }  # want bad-nodeset at "001-16": "different widths"
