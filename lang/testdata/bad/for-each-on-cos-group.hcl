fabric "f" {}
cos_group "g" {
  for_each = toset(["a"])  # want unknown-attribute at "for_each": "for_each works on"
  cos      = 1
}
