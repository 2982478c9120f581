fabric "f" {
  routing = "ospf"  # want out-of-range at "\"ospf\"": "Expected one of"
}
