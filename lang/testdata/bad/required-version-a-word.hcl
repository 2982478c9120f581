fabric "f" {
  required_version = "newest"  # want bad-value at "\"newest\"": "not a version constraint"
}
