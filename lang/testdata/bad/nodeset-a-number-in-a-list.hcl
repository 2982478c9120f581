fabric "f" {}
host "h" { names = ["h1", 7] }  # want wrong-type at "7": "a nodeset such as"
