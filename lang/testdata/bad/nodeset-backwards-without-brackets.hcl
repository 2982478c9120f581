fabric "f" {}
host "h" { names = "rack4-1" }  # want bad-nodeset at "4-1": "write 4-[1]"
