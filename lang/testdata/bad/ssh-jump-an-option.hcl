fabric "f" {}
ssh { jump = "-oProxyCommand=x" }  # want bad-value at "\"-oProxyCommand=x\"": "[user@]host[:port]"
