fabric "f" {}
switch "s" {
  names = "s[1-2]"
  model = "sn2700"
}
link "l" {
  a       = "s1:swp1"
  b       = "s2:swp1"
  planned = "2026-03-01"  # want wrong-type at "\"2026-03-01\"": "Expected true or false"
}
