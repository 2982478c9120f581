fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = "25000 Base"  # want wrong-unit at "\"25000 Base\"": "Write \"25000M\""
}
