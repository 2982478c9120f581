fabric "f" {}
cos_group "g" {
  cos = 1
  pfc = {}  # want unknown-attribute at "pfc": "Write pfc { ... }"
}
