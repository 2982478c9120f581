fabric "f" {}
link "l" {
  for_each = toset(["a"])
  a        = "${each.ky}:eth0"  # want unknown-reference at "each.ky": "Did you mean \"key\"?"
  b        = "b:eth0"
}
