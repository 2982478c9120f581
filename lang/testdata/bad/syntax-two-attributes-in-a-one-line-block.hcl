fabric "f" { mtu = 9000, failures = 1 }  # want syntax at ",": "on a separate line"
