fabric "f" {}
output "x" { value = local.nope }  # want unknown-reference at "local.nope": "no local.nope"
