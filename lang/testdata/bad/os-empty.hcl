fabric "f" {}
switch "s" {
  model = "sn2700"
  os    = ""  # want bad-value at "\"\"": "is empty"
}
