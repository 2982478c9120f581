fabric "f" {}
cos_group "g" {
  cos            = 1
  allow_deadlock = true  # want wrong-type at "true": "a reason"
}
