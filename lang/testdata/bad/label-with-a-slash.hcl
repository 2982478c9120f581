fabric "f" {}
cos_group "a/b" { cos = 1 }  # want bad-name at "\"a/b\"": "not a label"
