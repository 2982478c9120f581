fabric "f" {}
variable "v" { default = 1 }
variable "v" { default = 2 }  # want duplicate-name at "\"v\"": "two variable blocks"
