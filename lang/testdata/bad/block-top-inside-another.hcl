fabric "f" {}
cos_group "g" {
  cos = 1
  roce "r" {}  # want unknown-block at "roce": "A roce block must be outside of other blocks"
}
