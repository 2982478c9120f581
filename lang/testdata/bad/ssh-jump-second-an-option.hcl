fabric "f" {}
ssh { jump = "bastion,-oProxyCommand" }  # want bad-value at "\"bastion,-oProxyCommand\"": "a host begins with a letter"
