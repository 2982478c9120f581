fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {
    probability = 0.5  # want out-of-range at "0.5": "Write 50 for 0.5"
  }
}
