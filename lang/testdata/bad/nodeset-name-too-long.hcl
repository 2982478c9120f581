fabric "f" {}
host "h" { names = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk[01-99]" }  # want bad-name at "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk[01-99]": "65 characters"
