fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xon_delta = ""  # want wrong-unit at "\"\"": "Write one such as"
  }
}
