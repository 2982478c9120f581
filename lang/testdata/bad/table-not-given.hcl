fabric "f" {
  routing = "table"  # want missing-attribute at "\"table\"": "Write table ="
}
