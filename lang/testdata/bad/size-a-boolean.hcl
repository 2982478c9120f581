fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xoff = true  # want wrong-type at "true": "a size"
  }
}
