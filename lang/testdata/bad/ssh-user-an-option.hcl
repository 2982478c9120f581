fabric "f" {}
ssh { user = "-oProxyCommand" }  # want bad-value at "\"-oProxyCommand\"": "a user begins with a letter"
