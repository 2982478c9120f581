fabric "f" {}
cos_group "g" {
  cos = 1
  ecn "x" {}  # want bad-label at "\"x\"": "has no label"
}
