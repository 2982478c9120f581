fabric "f" {
  required_version = "newest"  # want bad-value at "\"newest\"": "no version constraint"
}
