fabric "f" {}
ssh { jump = "a b" }  # want bad-value at "\"a b\"": "a host has letters"
