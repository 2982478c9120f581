fabric "f" {}
host "h" { names = "h[1-,H2,h[4-3]" }  # want bad-nodeset at "[1-": "never closed" want bad-name at "H2": "lower case" want bad-nodeset at "4-3": "backwards"
