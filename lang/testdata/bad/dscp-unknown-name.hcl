fabric "f" {}
cos_group "g" {
  cos  = 1
  dscp = ["af44"]  # want out-of-range at "\"af44\"": "af11 to af43"
}
