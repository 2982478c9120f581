fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {
    probability = "101%"  # want out-of-range at "\"101%\"": "from 1 to 100"
  }
}
