fabric "f" {}
cos_group "g" {
  cos      = 1
  lossless = "true"  # want wrong-type at "\"true\"": "Write it without quotes: true."
}
