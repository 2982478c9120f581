fabric "f" {}
switch "s" {
  model   = "sn2700"
  version = "v4.3.0"  # want bad-value at "\"v4.3.0\"": "such as \"4.3.0\""
}
