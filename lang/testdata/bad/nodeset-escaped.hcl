fabric "f" {}
host "h" { names = "a\u005b1-" }  # want bad-nodeset at "\"a\\u005b1-\"": "never closed"
