fabric "f" {}
host "h" { names = "h1,,h2" }  # want bad-nodeset at ",": "Delete the comma"
