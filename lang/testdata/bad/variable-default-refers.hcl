fabric "f" {}
variable "a" { default = 1 }
variable "b" { default = var.a }  # want unknown-reference at "var.a": "locals block"
