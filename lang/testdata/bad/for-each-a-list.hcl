fabric "f" {}
link "l" {
  for_each = ["a"]  # want bad-for-each at "[\"a\"]": "toset"
  a        = "a:eth0"
  b        = "b:eth0"
}
