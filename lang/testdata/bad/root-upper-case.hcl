fabric "f" {
  root = "Spine1"  # want bad-name at "\"Spine1\"": "lower case"
}
