fabric "f" {}
cos_group "abcdefghijklmnopqrstuvwxyzabcdefghijk" { cos = 4 }  # want bad-name at "\"abcdefghijklmnopqrstuvwxyzabcdefghijk\"": "1 to 32"
