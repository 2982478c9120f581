fabric "f" {}
link "l" {
  for_each = toset(["a", null])  # want bad-for-each at "toset([\"a\", null])": "null"
  a        = "a:eth0"
  b        = "b:eth0"
}
