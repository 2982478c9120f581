fabric "f" {}
host "h" { names = "-rf" }  # want bad-name at "-rf": "not a device name"
