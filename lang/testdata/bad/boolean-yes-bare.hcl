fabric "f" {}
cos_group "g" {
  cos      = 1
  lossless = yes  # want unknown-reference at "yes": "Write true"
}
