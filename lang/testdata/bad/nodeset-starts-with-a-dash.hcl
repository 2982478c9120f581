fabric "f" {}
host "h" { names = "-rf" }  # want bad-name at "-rf": "no device name"
