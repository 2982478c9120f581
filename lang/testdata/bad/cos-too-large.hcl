fabric "f" {}
cos_group "g" {
  cos = 8  # want out-of-range at "8": "from 0 to 7"
}
