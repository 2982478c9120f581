fabric "f" {}
variable "source" { default = "a" } # want bad-name at "\"source\"": "Give it another name"
variable "for_each" { default = 1 } # want bad-name at "\"for_each\"": "a module block has an attribute of this name"
