fabric "f" {}
cos_group "g" {
  cos = 1
  pcp = [4, null]  # want wrong-type at "null": "null"
}
