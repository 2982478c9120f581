fabric "f" {}
host "h" { names = "h[0-999999999]" }  # want too-many-objects at "h[0-999999999]": "names 1,000,000,000 things (devices, interfaces, link ends, members), and may name 2,000,000; here 1,000,000,000 of them do not fit. Correct the range."
