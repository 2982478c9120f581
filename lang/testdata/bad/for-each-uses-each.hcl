fabric "f" {}
link "l" {
  for_each = toset([each.key])  # want unknown-reference at "each.key": "for_each"
  a        = "a:eth0"
  b        = "b:eth0"
}
