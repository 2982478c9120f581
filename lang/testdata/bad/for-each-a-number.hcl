fabric "f" {}
link "l" {
  for_each = 3  # want bad-for-each at "3": "not the number 3"
  a        = "a:eth0"
  b        = "b:eth0"
}
