fabric "f" {}
cos_group "g" { cos = 1 }
cos_group "g" { cos = 2 }  # want duplicate-name at "\"g\"": "two cos_group blocks named \"g\""
