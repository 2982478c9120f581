fabric "f" {}
host "h" { names = "h1:eth0" }  # want bad-nodeset at ":eth0": "Only names"
