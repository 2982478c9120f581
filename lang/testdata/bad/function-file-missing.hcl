fabric "f" {}
locals {
  x = file("missing.json")  # want bad-expression at "\"missing.json\"": "there is no such file"
}
