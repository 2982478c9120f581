fabric "f" {}
link "l" {
  a     = "x:e"
  b     = "y:e"
  speed = "100T"  # want out-of-range at "\"100T\"": "from 1M to 10T"
}
