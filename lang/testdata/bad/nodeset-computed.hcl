fabric "f" {}
host "h" { names = "a${1}[1-" }  # want bad-nodeset at "\"a${1}[1-\"": "The string is \"a1[1-\"."
