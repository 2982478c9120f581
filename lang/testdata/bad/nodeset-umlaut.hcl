fabric "f" {}
host "h" { names = "höst" }  # want bad-name at "\"höst\"": "not a device name"
