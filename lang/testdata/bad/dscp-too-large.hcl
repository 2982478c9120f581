fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = [26, 64]  # want out-of-range at "64": "0 to 63"
}
