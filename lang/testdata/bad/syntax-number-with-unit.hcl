fabric "f" {}
link "l" {
  a     = "a:e"
  b     = "b:e"
  speed = 100G  # want syntax at "100G": "\"100G\""
}
