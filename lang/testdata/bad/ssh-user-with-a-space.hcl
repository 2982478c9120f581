fabric "f" {}
ssh { user = "the admin" }  # want bad-value at "\"the admin\"": "a login name"
