fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {
    max = "64KB"  # want wrong-unit at "\"64KB\"": "Write \"64KiB\" (65536 bytes) or \"64000B\"."
  }
}
