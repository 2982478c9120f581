fabric "f" {}
cos_group "g" {
  cos = 1
  lossless {}  # want unknown-block at "lossless": "lossless = ..."
}
