fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = "4x25G"  # want wrong-unit at "\"4x25G\"": "Write one such as"
}
