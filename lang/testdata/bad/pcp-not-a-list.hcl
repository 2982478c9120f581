fabric "f" {}
cos_group "g" {
  cos = 1
  pcp = 4  # want wrong-type at "4": "Write it as a list: [4]."
}
