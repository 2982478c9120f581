fabric "f" {}
host "h" { names = "h{1..4}" }  # want bad-nodeset at "1..4": "Write ranges as [1-4]"
