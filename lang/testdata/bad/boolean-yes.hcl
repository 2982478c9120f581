fabric "f" {}
cos_group "g" {
  cos      = 1
  lossless = "yes"  # want wrong-type at "\"yes\"": "true or false"
}
