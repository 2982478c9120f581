fabric "f" {}
cos_group "g" {
  cos      = 1
  lossless = 1  # want wrong-type at "1": "true or false"
}
