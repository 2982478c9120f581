fabric "f" {}
link "l" {
  for_each = toset([1, 2])  # want bad-for-each at "toset([1, 2])": "set of strings"
  a        = "a:eth0"
  b        = "b:eth0"
}
