fabric "f" {}
cos_group "" { cos = 1 }  # want bad-name at "\"\"": "empty"
