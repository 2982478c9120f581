fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xoff = "-5B"  # want wrong-unit at "\"-5B\"": "Write one such as"
  }
}
