fabric "f" {}
host "h" { names = "ok,../../etc/x" }  # want bad-name at "../../etc/x": "not a device name"
