fabric "f" {}
cos_group "g" {
  cos = 1
  pcp = [8, 4, 9]  # want out-of-range at "8": "0 to 7" want out-of-range at "9": "0 to 7"
}
