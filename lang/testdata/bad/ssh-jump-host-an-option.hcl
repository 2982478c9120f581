fabric "f" {}
ssh { jump = "ops@-F" }  # want bad-value at "\"ops@-F\"": "a host begins with a letter"
