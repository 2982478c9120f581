fabric "f" {}
host "h" { names = "h1 h2" }  # want bad-name at "h1 h2": "comma"
