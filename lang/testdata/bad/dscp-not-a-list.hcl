fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = "af31"  # want wrong-type at "\"af31\"": "Write it as a list: [\"af31\"]."
}
