fabric "f" {}
host "h" { names = 7 }  # want wrong-type at "7": "a nodeset such as"
