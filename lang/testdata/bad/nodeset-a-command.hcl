fabric "f" {}
host "h" { names = "h;reboot" }  # want bad-name at "h;reboot": "not a device name"
