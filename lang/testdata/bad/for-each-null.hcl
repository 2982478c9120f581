fabric "f" {}
link "l" {
  for_each = null  # want bad-for-each at "null": "null"
  a        = "a:eth0"
  b        = "b:eth0"
}
