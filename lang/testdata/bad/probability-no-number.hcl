fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {
    probability = "half"  # want wrong-unit at "\"half\"": "Write one such as 50"
  }
}
