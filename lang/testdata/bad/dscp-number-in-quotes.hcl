fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = ["26"]  # want wrong-type at "\"26\"": "without quotes"
}
