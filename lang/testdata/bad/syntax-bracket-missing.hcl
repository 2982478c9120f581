fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = [24, 26
  pcp  = [1]  # want syntax at "pcp": "closing bracket"
}
