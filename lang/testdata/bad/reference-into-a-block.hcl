cos_group "g" { cos = 1 }
fabric "f" {
  failures = cos_group.g.cos  # want bad-expression at ".cos": "only names a block"
}
