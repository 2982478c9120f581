fabric "f" {}
host "h" { names = "höst" }  # want bad-name at "\"höst\"": "no device name"
