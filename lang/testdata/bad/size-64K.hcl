fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {
    min = "64K"  # want wrong-unit at "\"64K\"": "Write \"64KiB\" (65536 bytes) or \"64000B\"."
  }
}
