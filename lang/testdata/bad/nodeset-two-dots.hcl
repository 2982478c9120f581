fabric "f" {}
host "h" { names = "a..b" }  # want bad-name at "a..b": "\"..\""
