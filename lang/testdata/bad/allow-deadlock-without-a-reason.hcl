fabric "f" {}
cos_group "g" {
  cos            = 1
  allow_deadlock = ""  # want bad-value at "\"\"": "reason"
}
