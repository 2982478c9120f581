fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = "fast"  # want wrong-unit at "\"fast\"": "Write one such as"
}
