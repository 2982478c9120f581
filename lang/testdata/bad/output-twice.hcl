fabric "f" {}
output "x" { value = 1 }
output "x" { value = 2 }  # want duplicate-name at "\"x\"": "two output blocks"
