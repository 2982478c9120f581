fabric "f" {}
switch "s" {
  model       = "sn2700"
  maintenance = ""  # want bad-value at "\"\"": "a reason in quotes"
}
