fabric "f" {}
host "h" { names = "h;reboot" }  # want bad-name at "h;reboot": "no device name"
