fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xoff = "1,5KiB"  # want wrong-unit at "\"1,5KiB\"": "Write one such as"
  }
}
