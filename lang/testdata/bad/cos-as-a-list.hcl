fabric "f" {}
cos_group "g" {
  cos = [4]  # want wrong-type at "[4]": "not a list"
}
