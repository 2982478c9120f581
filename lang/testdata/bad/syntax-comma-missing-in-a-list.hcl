fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = [24 26]  # want syntax at "26": "comma"
}
