fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = "100GB"  # want wrong-unit at "\"100GB\"": "Write \"100G\" for gigabits"
}
