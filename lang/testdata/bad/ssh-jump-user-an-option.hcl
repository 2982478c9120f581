fabric "f" {}
ssh { jump = "-l@bastion" }  # want bad-value at "\"-l@bastion\"": "a user begins with a letter"
