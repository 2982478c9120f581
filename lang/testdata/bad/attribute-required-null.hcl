fabric "f" {}
cos_group "nocos" {
  cos = null  # want missing-attribute at "null": "null counts as not written"
}
