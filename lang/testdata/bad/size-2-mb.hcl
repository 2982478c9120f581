fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    buffer = "2 mb"  # want wrong-unit at "\"2 mb\"": "Write \"2MiB\" (2097152 bytes) or \"2000000B\"."
  }
}
