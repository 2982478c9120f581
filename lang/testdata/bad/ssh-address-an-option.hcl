fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { address = "-oProxyCommand=x" }  # want bad-value at "\"-oProxyCommand=x\"": "an IP address or host name"
}
