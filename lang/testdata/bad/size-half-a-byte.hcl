fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xoff = "1.5B"  # want out-of-range at "\"1.5B\"": "whole number of bytes"
  }
}
