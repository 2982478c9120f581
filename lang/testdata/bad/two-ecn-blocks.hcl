fabric "f" {}
cos_group "g" {
  cos = 1
  ecn {}
  ecn {}  # want duplicate-block at "ecn": "can have only one ecn block"
}
