fabric "f" {}
host "h" { names = "h[0-999999999]" }  # want too-many-objects at "h[0-999999999]": "names 1,000,000,000 things (devices, interfaces, link ends, members), but the limit is 2,000,000. The 1,000,000,000 at this place exceed it. Correct the range."
