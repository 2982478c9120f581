fabric "f" {
  routing = "table"  # want missing-attribute at "\"table\"": "Say table ="
}
