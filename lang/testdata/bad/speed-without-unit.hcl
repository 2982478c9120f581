fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = 100  # want wrong-unit at "100": "Write \"100G\""
}
