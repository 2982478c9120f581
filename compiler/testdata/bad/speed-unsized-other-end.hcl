fabric "f" {}
switch "leaf" { model = "sn6600" }
host "gpu" {
  nic "eth0" { model = "soft-roce" }
}
link "l" { # want speed-mismatch at "link \"l\"": "no pause response is published"
  a = "gpu:eth0"
  b = "leaf:swp1"
}
