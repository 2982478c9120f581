fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xon_delta = "little"  # want wrong-unit at "\"little\"": "Write one such as"
  }
}
