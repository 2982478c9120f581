fabric "f" {
  required_version = ">= 0.12 < 0.14"  # want bad-value at "\">= 0.12 < 0.14\"": "separated by commas"
}
