fabric "f" {}
link "l" {
  a = "${each.key}:eth0"  # want unknown-reference at "each.key": "only in blocks with for_each"
  b = "b:eth0"
}
