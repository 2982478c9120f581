fabric "f" {}
host "h" { names = "GPU[1-4]" }  # want bad-name at "GPU[1-4]": "lower case"
