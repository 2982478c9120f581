fabric "f" {}
cos_group "4storage" { cos = 4 }  # want bad-name at "\"4storage\"": "starts with a letter"
