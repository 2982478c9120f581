fabric "f" {}
cos_group "g" {
  cos   = 1
  model = "x"  # want unknown-attribute at "model": "no attribute \"model\""
}
